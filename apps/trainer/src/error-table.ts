import { defineError } from '@stoker/spec'

export const NotTrainable = defineError(
  'STK_TRAIN_NO_MODEL',
  'job %s has no train part, so there is nothing to train',
  {
    status: 409,
    remedy: 'submit the job with train.model',
  },
)
export const ValidationDiffers = defineError(
  'STK_TRAIN_VALIDATION_DIFFERS',
  'the training and the validation pipeline end differently: the trainer would have to do %s and %s',
  { status: 422, remedy: 'end both with the same cast and scale ops, or submit the job with "wire": "float32"' },
)
export const LossNotFinite = defineError(
  'STK_TRAIN_LOSS_NOT_FINITE',
  'the loss is %s at step %d (epoch %d, batch %d)',
  {
    remedy: 'scale the features, lower optimizer.learningRate, and look at that batch: stoker preview JOB EPOCH BATCH',
  },
)
export const MonitorUnknown = defineError(
  'STK_TRAIN_MONITOR',
  'no epoch tells "%s", which the job watches; told are: %s',
  {
    status: 422,
    remedy: 'name one of them in earlyStopping.monitor or checkpoint.best.monitor',
  },
)
export const NothingToTrain = defineError('STK_TRAIN_NO_BATCH', 'the %s feed has no batch in epoch %d', {
  status: 422,
  remedy: 'check that the source holds records, and that dropRemainder leaves a batch',
})
export const CheckpointForeign = defineError(
  'STK_TRAIN_CHECKPOINT_FOREIGN',
  'checkpoint %s was made by another job spec (%s, this one is %s)',
  { remedy: 'remove it, or point STOKER_STORE at another folder' },
)
/** A fault of ours, told instead of training on the wrong data. */
export const BatchOutOfOrder = defineError(
  'STK_TRAIN_BATCH_ORDER',
  'expected batch %d of epoch %d (%s), got %d of %d',
  {
    retryable: true,
  },
)
export const IoThreadEnded = defineError('STK_TRAINER_IO_THREAD', 'the I/O thread of the trainer ended: %s', {
  retryable: true,
})

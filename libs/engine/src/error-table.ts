import { defineError } from '@stoker/spec'

const bug = 'run `stoker engine doctor`, and `stoker engine install` to build the engine again'

export const EngineNotBuilt = defineError('STK_ENGINE_NOT_BUILT', 'the TensorFlow engine could not be built: %s', {
  remedy: 'run `stoker engine doctor`; without a native engine, models of kind layers train on WASM',
})
export const EngineBroken = defineError('STK_ENGINE_BROKEN', 'the TensorFlow engine in %s does not load: %s', {
  remedy: bug,
})
export const NoEngine = defineError('STK_ENGINE_NONE', 'no engine loads here: %s', {
  remedy: 'run `npm install`, then `stoker engine doctor`',
})
export const SavedModelNeedsNative = defineError(
  'STK_ENGINE_SAVED_MODEL_NEEDS_NATIVE',
  'a model of kind savedModel needs the native TensorFlow engine, and this process runs on %s',
  { status: 409, remedy: 'run `stoker engine install` on the trainer, or submit the model as kind layers' },
)
export const ModelInvalid = defineError('STK_MODEL_INVALID', 'the model cannot be built: %s', {
  status: 422,
  remedy: 'compare train.model.topology with what `model.toJSON()` of Keras or tfjs writes',
})
export const ModelInput = defineError('STK_MODEL_INPUT', 'the model and the pipeline do not fit: %s', {
  status: 422,
  remedy: 'change the pipeline, train.features, train.label or the model so that names, types and shapes agree',
})
export const SavedModelMissing = defineError('STK_MODEL_SAVED_MODEL_MISSING', 'there is no SavedModel at %s', {
  status: 422,
  remedy: 'give the folder that holds saved_model.pb and variables/; `stoker model export` writes one',
})
export const SavedModelInvalid = defineError('STK_MODEL_SAVED_MODEL_INVALID', 'the SavedModel at %s is unfit: %s', {
  status: 422,
  remedy: 'export it with `stoker model export`, which writes the signatures train, evaluate, predict, save, restore',
})
export const CheckpointUnfit = defineError('STK_CHECKPOINT_UNFIT', 'the checkpoint does not fit the model: %s', {
  remedy: 'the model was changed since the checkpoint was written: start the job anew under another name',
})
export const CheckpointCorrupt = defineError('STK_CHECKPOINT_CORRUPT', 'checkpoint %s is damaged: %s', {
  remedy: 'remove that checkpoint folder; the trainer then goes on from the one before it',
})
export const ExportFailed = defineError('STK_MODEL_EXPORT_FAILED', 'exporting %s failed: %s', {
  status: 422,
  remedy: 'the script must define `model`, a compiled Keras model; run it with Python alone to see the whole trace',
})
export const PythonMissing = defineError('STK_ENGINE_NO_PYTHON', 'no Python that can do this: %s', {
  remedy: 'install Python 3.10 to 3.13 with pip and venv (`apt-get install python3 python3-pip python3-venv`)',
})
export const StepFailed = defineError('STK_TRAIN_STEP_FAILED', 'the engine cannot compute this batch: %s', {
  remedy: 'compare the shapes and label values of the batch with what the model and the loss take',
})
export const WeightsMissing = defineError('STK_MODEL_WEIGHTS_MISSING', 'there are no weights at %s', {
  status: 422,
  remedy: 'give a folder with model.json, a .keras file, a checkpoint, or the folder of a job',
})
export const WeightsUnfit = defineError('STK_MODEL_WEIGHTS_UNFIT', 'the weights at %s do not fit: %s', {
  status: 422,
  remedy: 'give weights of this model, or list layers that start anew in train.model.fresh',
})
export const ExportUnfit = defineError(
  'STK_MODEL_EXPORT_UNFIT',
  'the model cannot be written for Keras: layer %s: %s',
  { status: 422, remedy: 'leave keras out of train.export' },
)
export const LabelOutOfRange = defineError(
  'STK_TRAIN_LABEL_RANGE',
  'label "%s" is %s in record %d of the batch, and classes are int32',
  { status: 422, remedy: 'map labels to class numbers from 0 on' },
)

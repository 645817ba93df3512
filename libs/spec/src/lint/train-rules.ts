import type { CheckedJob } from '../parse-job.js'
import { stoppingMonitor } from '../train/monitor.js'
import type { Train } from '../train/schema.js'
import type { Facts, Rule } from './rule.js'

/** Steps of the whole training, where the number of records is known. */
function totalSteps({ checked, epochs }: CheckedJob, { records }: Facts): number | undefined {
  const { size, dropRemainder } = checked.order.batch
  if (records === undefined) return undefined
  return epochs * (dropRemainder ? Math.floor(records / size) : Math.ceil(records / size))
}

const scheduleOf = ({ optimizer }: Train) =>
  typeof optimizer?.learningRate === 'object' ? optimizer.learningRate : undefined

const RANDOM = /^random|^(mixup|cutmix|cutout)$/

/** Mistakes in the `train` part of a job. One row a mistake; the codes are stable. */
export const TRAIN_RULES: readonly Rule[] = [
  {
    code: 'STK_LINT_STOPPING_ON_TRAINING',
    level: 'warning',
    find: ({ job }) => {
      const monitor = job.train && stoppingMonitor(job.train)?.monitor
      if (monitor === undefined || /^val[A-Z]/.test(monitor)) return []
      return [
        {
          path: 'train.earlyStopping.monitor',
          message: `"${monitor}" is told of the data that is trained on: it goes on improving while the model overfits`,
          fix: 'add train.validation and watch valLoss',
        },
      ]
    },
  },
  {
    code: 'STK_LINT_STOPPING_AT_ONCE',
    level: 'warning',
    find: ({ job }) =>
      job.train?.earlyStopping && (job.train.earlyStopping.patience ?? 0) === 0
        ? [
            {
              path: 'train.earlyStopping.patience',
              message:
                'patience 0 ends the training at the first epoch that is no better, which noise alone brings about',
              fix: 'give a patience of some epochs',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_WARMUP_TO_THE_END',
    level: 'warning',
    find: (checked, facts) => {
      const warmup = checked.job.train && scheduleOf(checked.job.train)?.warmup
      const steps = totalSteps(checked, facts)
      if (!warmup || steps === undefined || warmup.steps < steps) return []
      return [
        {
          path: 'train.optimizer.learningRate.warmup.steps',
          message: `the warm-up takes ${warmup.steps} steps, and the whole training has ${steps}`,
          fix: `use a twentieth of them: ${Math.max(1, Math.round(steps / 20))}`,
        },
      ]
    },
  },
  {
    code: 'STK_LINT_SCHEDULE_ENDS_EARLY',
    level: 'warning',
    find: (checked, facts) => {
      const schedule = checked.job.train && scheduleOf(checked.job.train)
      const steps = totalSteps(checked, facts)
      // From there on these two stay at their last rate, which is 0 for cosine where alpha is left out.
      if (schedule?.type !== 'cosine' && schedule?.type !== 'polynomial') return []
      const end = (schedule.decaySteps ?? 0) + (schedule.warmup?.steps ?? 0)
      if (steps === undefined || schedule.cycle || end * 2 > steps) return []
      return [
        {
          path: 'train.optimizer.learningRate.decaySteps',
          message: `the schedule ends at step ${end} of ${steps}: most of the training runs at its last rate`,
          fix: `give decaySteps ${steps - (schedule.warmup?.steps ?? 0)}`,
        },
      ]
    },
  },
  {
    code: 'STK_LINT_VALIDATION_RANDOM',
    level: 'warning',
    find: ({ validation }) =>
      (validation?.pipeline.stages ?? []).flatMap(({ op }, index) =>
        RANDOM.test(op)
          ? [
              {
                path: `train.validation.pipeline.stages[${index}]`,
                message: `${op} changes the held-out records, so their numbers tell of other data than the model will see`,
                fix: 'leave random ops to the training pipeline',
              },
            ]
          : [],
      ),
  },
]

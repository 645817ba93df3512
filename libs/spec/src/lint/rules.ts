import { formatBytes } from '../bytes.js'
import type { CheckedJob } from '../parse-job.js'
import type { Stage } from '../pipeline.js'
import type { Rule } from './rule.js'

function stageIndexes(job: CheckedJob, op: Stage['op']): number[] {
  return job.checked.pipeline.stages.flatMap((stage, index) => (stage.op === op ? [index] : []))
}

const at = (index: number, key = '') => `pipeline.stages[${index}]${key}`

/** One row a mistake; the codes are stable. */
export const RULES: readonly Rule[] = [
  {
    code: 'STK_LINT_REPEAT_BEFORE_SHUFFLE',
    level: 'warning',
    find: (job) => {
      const [shuffle] = stageIndexes(job, 'shuffle')
      return stageIndexes(job, 'repeat')
        .filter((index) => shuffle !== undefined && index < shuffle)
        .map((index) => ({
          path: at(index),
          message: 'repeat before shuffle blends epochs: some records come twice before others come once',
          fix: 'put repeat after shuffle, best after batch',
        }))
    },
  },
  {
    code: 'STK_LINT_REPEAT_BEFORE_BATCH',
    level: 'warning',
    find: (job) => {
      const [batch] = stageIndexes(job, 'batch')
      return stageIndexes(job, 'repeat')
        .filter((index) => batch !== undefined && index < batch)
        .map((index) => ({
          path: at(index),
          message: 'repeat before batch lets a batch straddle two epochs',
          fix: 'put repeat after batch',
        }))
    },
  },
  {
    code: 'STK_LINT_NO_PREFETCH',
    level: 'warning',
    find: (job) =>
      job.checked.order.prefetch
        ? []
        : [
            {
              path: 'pipeline.stages',
              message: 'without prefetch the consumer waits for each batch to be made',
              fix: 'end the chain with prefetch(AUTOTUNE)',
            },
          ],
  },
  {
    code: 'STK_LINT_PREFETCH_ONE',
    level: 'warning',
    find: (job) =>
      job.checked.order.prefetch?.depth === 1
        ? stageIndexes(job, 'prefetch').map((index) => ({
            path: at(index, '.depth'),
            message: 'prefetch(1) hides only jitter shorter than one step and keeps all workers but one idle',
            fix: 'use prefetch(AUTOTUNE)',
          }))
        : [],
  },
  {
    code: 'STK_LINT_SEQUENTIAL_READ',
    level: 'warning',
    find: (job) =>
      job.checked.order.interleave?.parallelism === 1
        ? [
            {
              path: at(0, '.parallelism'),
              message: 'parallelism 1 reads one shard at a time',
              fix: 'use parallelism: AUTOTUNE',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_SHUFFLE_BELOW_BATCH',
    level: 'warning',
    find: ({ checked: { order, pipeline } }) => {
      const size = order.shuffle?.bufferSize
      if (typeof size !== 'number' || size >= order.batch.size) return []
      const index = pipeline.stages.findIndex((stage) => stage.op === 'shuffle')
      return [
        {
          path: at(index, '.bufferSize'),
          message: `a shuffle buffer of ${size} is below the batch size ${order.batch.size}: neighbours stay together`,
          fix: 'use at least ten batches, or "global"',
        },
      ]
    },
  },
  {
    code: 'STK_LINT_SHUFFLE_SMALL',
    level: 'warning',
    find: ({ checked: { order, pipeline } }, { records }) => {
      const size = order.shuffle?.bufferSize
      if (typeof size !== 'number' || records === undefined || size * 50 >= records || size < order.batch.size)
        return []
      const index = pipeline.stages.findIndex((stage) => stage.op === 'shuffle')
      return [
        {
          path: at(index, '.bufferSize'),
          message: `a shuffle buffer of ${size} is below 2 % of the ${records} records: a window sees little of the data`,
          fix: `use at least ${Math.ceil(records / 50)}, or "global": a window costs no memory here`,
        },
      ]
    },
  },
  {
    code: 'STK_LINT_SHUFFLE_AFTER_BATCH',
    level: 'warning',
    find: (job) => {
      const [batch] = stageIndexes(job, 'batch')
      return stageIndexes(job, 'shuffle')
        .filter((index) => batch !== undefined && index > batch)
        .map((index) => ({
          path: at(index),
          message: 'shuffle after batch permutes whole batches: the same records stay together',
          fix: 'put shuffle before batch',
        }))
    },
  },
  {
    code: 'STK_LINT_CAST_BEFORE_RESIZE',
    level: 'warning',
    find: ({ checked: { pipeline } }) =>
      pipeline.stages.flatMap((stage, index) => {
        const later = pipeline.stages.slice(index + 1)
        const resized = stage.op === 'cast' && later.some((next) => next.op === 'resize' && next.field === stage.field)
        return resized
          ? [
              {
                path: at(index),
                message: `cast before resize makes "${stage.field}" float while it is still large, and sends floats to the consumer`,
                fix: 'put cast after resize: pixels then travel as uint8 and are cast on the accelerator',
              },
            ]
          : []
      }),
  },
  {
    code: 'STK_LINT_WIRE_FLOAT32',
    level: 'warning',
    find: ({ job, checked: { pipeline } }) =>
      job.wire === 'float32' && pipeline.stages.some((stage) => stage.op === 'resize')
        ? [
            {
              path: 'wire',
              message: 'wire float32 sends four times the bytes of wire auto',
              fix: 'leave it out unless unrounded pixels are wanted',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_BUFFER_SMALL',
    level: 'error',
    find: ({ bufferBytes }, { batchBytes }) =>
      batchBytes !== undefined && batchBytes > bufferBytes
        ? [
            {
              path: 'bufferBytes',
              message: `one batch takes ${formatBytes(batchBytes)} and the buffer holds ${formatBytes(bufferBytes)}`,
              fix: `give bufferBytes at least ${batchBytes}, or make batches smaller`,
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_ANY_ORDER_WITH_SEED',
    level: 'warning',
    find: ({ job, checked: { order } }) =>
      job.deterministic === false && order.shuffle?.seed !== undefined
        ? [
            {
              path: 'deterministic',
              message: 'with deterministic: false a seed does not fix the order in which batches arrive',
              fix: 'drop one of the two',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_NOT_SHUFFLED',
    level: 'warning',
    find: ({ job, checked: { order } }) =>
      job.train && !order.shuffle
        ? [
            {
              path: 'pipeline.stages',
              message: 'a training job without shuffle sees every epoch in the same order',
              fix: 'add shuffle before batch',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_FILTER_AFTER_DECODE',
    level: 'warning',
    find: ({ checked: { pipeline } }) => {
      const decode = pipeline.stages.findIndex(({ op }) => op.startsWith('decode') || op === 'resize')
      return pipeline.stages.flatMap((stage, index) =>
        stage.op === 'filter' && decode >= 0 && decode < index
          ? [
              {
                path: at(index),
                message: `filter is evaluated when a shard is indexed, and ${pipeline.stages[decode]?.op} before it runs on every record once more`,
                fix: 'put filter right after the parse, where the field allows it',
              },
            ]
          : [],
      )
    },
  },
  {
    code: 'STK_LINT_BAD_RECORDS_UNCAPPED',
    level: 'warning',
    find: ({ job: { onBadRecord = 'fail', maxBadFraction } }) =>
      onBadRecord !== 'fail' && maxBadFraction === undefined
        ? [
            {
              path: 'maxBadFraction',
              message: `with onBadRecord: ${onBadRecord} a job whose data are mostly broken still ends well`,
              fix: 'say how many may be bad, such as maxBadFraction: 0.01',
            },
          ]
        : [],
  },
  {
    code: 'STK_LINT_BAD_FRACTION_UNUSED',
    level: 'warning',
    find: ({ job: { onBadRecord = 'fail', maxBadFraction } }) =>
      onBadRecord === 'fail' && maxBadFraction !== undefined
        ? [
            {
              path: 'maxBadFraction',
              message: 'the first bad record ends this job, so maxBadFraction is never asked',
              fix: 'add onBadRecord: skip or substitute, or drop it',
            },
          ]
        : [],
  },
]

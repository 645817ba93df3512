/**
 * What a metric has gathered over some records. Sums of disjoint sets of records add up, so an epoch's value is exact
 * whatever its batches are. Plain JSON; doubles survive it exactly.
 */
export type MetricSum =
  /** A mean. */
  | { readonly total: number; readonly count: number }
  /** An area under the ROC curve: weights of positive and negative records by bucket of their prediction. */
  | { readonly positives: readonly number[]; readonly negatives: readonly number[] }

/** By name. */
export type MetricSums = Readonly<Record<string, MetricSum>>

/** A mean over `count` records, as a SavedModel tells it. */
export const meanOver = (value: number, count: number): MetricSum => ({ total: value * count, count })

/** The sums of both sets of records together. */
export function addMetrics(a: MetricSums, b: MetricSums): MetricSums {
  const sums: Record<string, MetricSum> = { ...a }
  for (const [name, more] of Object.entries(b)) {
    const held = a[name]
    sums[name] = held ? add(name, held, more) : more
  }
  return sums
}

function add(name: string, a: MetricSum, b: MetricSum): MetricSum {
  if ('total' in a && 'total' in b) return { total: a.total + b.total, count: a.count + b.count }
  if ('total' in a || 'total' in b) throw new Error(`${name} is gathered in two ways`)
  const each = (left: readonly number[], right: readonly number[]) =>
    left.map((value, index) => value + (right[index] ?? 0))
  return { positives: each(a.positives, b.positives), negatives: each(a.negatives, b.negatives) }
}

/** The metrics' values. 0 of no records, as in Keras. */
export const metricValues = (sums: MetricSums): Record<string, number> =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, metricValue(sum)]))

export function metricValue(sum: MetricSum): number {
  if ('total' in sum) return ratio(sum.total, sum.count)
  return areaUnderRoc(sum.positives, sum.negatives)
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** keras.metrics.AUC's default number of thresholds: 0 and 1, a little moved outwards, and 198 equally spaced between. */
export const AUC_THRESHOLDS = 200

/**
 * Sorts predictions, clipped to [0, 1], into the buckets between thresholds: bucket i is above threshold i and at or
 * below the next one. In single precision, as keras.metrics.AUC does it. Labels other than 0 are positive.
 */
export function rocBuckets(predictions: Float32Array, labels: ArrayLike<number>): MetricSum {
  const positives = new Array<number>(AUC_THRESHOLDS).fill(0)
  const negatives = new Array<number>(AUC_THRESHOLDS).fill(0)
  for (const [index, prediction] of predictions.entries()) {
    const clipped = Math.min(1, Math.max(0, prediction))
    const bucket = Math.max(0, Math.ceil(Math.fround(clipped * (AUC_THRESHOLDS - 1))) - 1)
    const side = labels[index] ? positives : negatives
    // NaN falls into no bucket.
    if (bucket < AUC_THRESHOLDS) side[bucket] = (side[bucket] ?? 0) + 1
  }
  return { positives, negatives }
}

/** Trapezoids under the curve of true against false positive rate, as Keras sums them up (`summation_method` interpolation). */
function areaUnderRoc(positives: readonly number[], negatives: readonly number[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const [allPositives, allNegatives] = [sum(positives), sum(negatives)]
  let area = 0
  let [trueBelow, falseBelow] = [allPositives, allNegatives]
  for (const [index, inBucket] of positives.entries()) {
    if (index === positives.length - 1) break
    const falseAbove = falseBelow - (negatives[index] ?? 0)
    const trueAbove = trueBelow - inBucket
    const width = ratio(falseBelow - falseAbove, allNegatives)
    area += width * ((ratio(trueBelow, allPositives) + ratio(trueAbove, allPositives)) / 2)
    ;[trueBelow, falseBelow] = [trueAbove, falseAbove]
  }
  return area
}

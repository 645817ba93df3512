// Which species is the penguin of? Numbers scaled by hand, categories one-hot, in one vector of nine.
import { AUTOTUNE, csv, pipeline } from '@stoker/spec'
import { dense, sequential } from '../support/layers.mjs'

/** Mean and standard deviation over the training rows. A missing number (NA) reads as the mean: 0 once scaled. */
const NUMBERS = {
  'Culmen Length (mm)': { mean: 44, std: 5.5 },
  'Culmen Depth (mm)': { mean: 17.2, std: 2 },
  'Flipper Length (mm)': { mean: 201, std: 14 },
  'Body Mass (g)': { mean: 4200, std: 800 },
}
const ISLANDS = ['Biscoe', 'Dream', 'Torgersen']
const SEXES = ['FEMALE', 'MALE']
const SPECIES = [
  'Adelie Penguin (Pygoscelis adeliae)',
  'Chinstrap penguin (Pygoscelis antarctica)',
  'Gentoo penguin (Pygoscelis papua)',
]

function penguins(files, shuffle) {
  const columns = [
    ...Object.entries(NUMBERS).map(([name, { mean }]) => ({ name, dtype: 'float32', default: mean })),
    { name: 'Island', dtype: 'string' },
    { name: 'Sex', dtype: 'string', default: '' },
    { name: 'Species', dtype: 'string' },
  ]
  let rows = pipeline(csv(files, { columns, naValue: 'NA', shuffle })).interleave({ cycleLength: AUTOTUNE })
  for (const [name, { mean, std }] of Object.entries(NUMBERS)) rows = rows.scale(name, 1 / std, -mean / std)
  return (
    rows
      .lookup('Island', { vocabulary: ISLANDS })
      .oneHot('Island', ISLANDS.length)
      // What is not in the vocabulary is -1, and one-hot that is all zeros: the sex is not known.
      .lookup('Sex', { vocabulary: SEXES })
      .oneHot('Sex', SEXES.length)
      .concat([...Object.keys(NUMBERS), 'Island', 'Sex'], 'penguin')
      .lookup('Species', { vocabulary: SPECIES })
      .rename({ Species: 'label' })
      .cast('label', 'int32')
  )
}

export const job = ({ train, test }, epochs = 20) => ({
  name: 'tabular',
  pipeline: penguins(train, true).shuffle('global', { seed: 42 }).batch(16).prefetch(AUTOTUNE),
  seed: 42,
  train: {
    model: {
      kind: 'layers',
      topology: sequential('tabular', [9], [dense('hidden', 16, 'relu'), dense('species', SPECIES.length, 'softmax')]),
    },
    optimizer: { type: 'adam', learningRate: 0.01 },
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    epochs,
    validation: { pipeline: penguins(test, false).batch(69).prefetch(AUTOTUNE) },
  },
})

export default () => job({ train: 'file:tabular-v1/train-*.csv', test: 'file:tabular-v1/test-*.csv' })

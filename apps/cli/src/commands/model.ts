import { Command, Option } from 'commander'
import { type CommonOptions, localCommand, outputOf } from './command.js'

interface ExportFlags extends CommonOptions {
  readonly out: string
  readonly dtype?: 'uint8' | 'float32'
}

export const modelCommand = (): Command =>
  new Command('model').description('models for the trainer').addCommand(
    localCommand('export', 'write a Keras model as a SavedModel that the trainer runs without Python')
      .argument('<script>', 'Python file that defines `model`, a compiled Keras model')
      .requiredOption('--out <folder>', 'where the SavedModel goes')
      .addOption(new Option('--dtype <dtype>', 'type in which inputs travel').choices(['uint8', 'float32']))
      .action(async (script: string, { out, dtype, ...options }: ExportFlags) => {
        const output = outputOf(options)
        const { exportModel } = await import('@stoker/engine')
        const model = await exportModel({ script, out, log: output.note, ...(dtype ? { dtype } : {}) })
        output.result({ model }, `wrote ${model}`)
      }),
  )

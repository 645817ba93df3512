import { basename } from 'node:path'
import { Command, Option } from 'commander'
import { type CommonOptions, localCommand, outputOf } from './command.js'

interface ExportOptions extends CommonOptions {
  readonly out?: string
  readonly dtype?: 'float32' | 'uint8'
  readonly sampleWeight?: boolean
}

export const modelCommand = (): Command =>
  new Command('model').description('models for the trainer').addCommand(
    localCommand('export', 'write a compiled Keras model as a SavedModel that the trainer runs')
      .argument('<script>', 'Python file that defines `model`')
      .option('--out <dir>', 'where the SavedModel goes (default: the name of the script, without .py)')
      .addOption(new Option('--dtype <type>', 'type in which inputs travel').choices(['float32', 'uint8']))
      .option('--sample-weight', 'its signatures take a weight for each record, too')
      .action(async (script: string, options: ExportOptions) => {
        const output = outputOf(options)
        const { exportModel } = await import('@stoker/engine')
        const { out = basename(script, '.py'), dtype, sampleWeight = false } = options
        const model = await exportModel({ script, out, sampleWeight, ...(dtype ? { dtype } : {}), log: output.note })
        output.result({ model }, `wrote ${model}`)
      }),
  )

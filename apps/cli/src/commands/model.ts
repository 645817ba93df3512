import { Command } from 'commander'
import { type CommonOptions, localCommand, outputOf } from './command.js'

export const modelCommand = (): Command =>
  new Command('model').description('models for the trainer').addCommand(
    localCommand('export', 'write a Keras model (a Python script) as a SavedModel that trains')
      .argument('<script>', 'Python file that defines the model')
      .argument('<folder>', 'where the SavedModel goes')
      .action(async (script: string, folder: string, options: CommonOptions) => {
        const output = outputOf(options)
        const { exportModel } = await import('@stoker/engine')
        const exported = await exportModel({ script, folder, log: output.note })
        output.result(exported, `wrote ${folder}`)
      }),
  )

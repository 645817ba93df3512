import type { EngineReport } from '@stoker/engine'
import { Command } from 'commander'
import { type CommonOptions, localCommand, outputOf } from './command.js'

export const engineCommand = (): Command =>
  new Command('engine')
    .description('the TensorFlow that trains')
    .addCommand(
      localCommand('install', 'build the native engine against the TensorFlow of PyPI, once for this machine')
        .option('--cpu', 'for the processor (default)')
        .option('--cuda', 'for NVIDIA GPUs')
        .action(async (options: CommonOptions & { cuda?: boolean }) => {
          const output = outputOf(options)
          const { installEngine } = await import('@stoker/engine')
          const report = await installEngine({ device: options.cuda ? 'cuda' : 'cpu', log: output.note })
          output.result(report, engineText(report))
          if (report.kind !== 'native') process.exitCode = 1
        }),
    )
    .addCommand(
      localCommand('doctor', 'which engine the trainer takes here, and why').action(async (options: CommonOptions) => {
        const { inspectEngine } = await import('@stoker/engine')
        const report = await inspectEngine()
        outputOf(options).result(report, engineText(report))
      }),
    )

export function engineText({ kind, version, device, dir, why, fix }: EngineReport): string {
  return [
    `engine: ${kind} ${version} on ${device}${dir === undefined ? '' : ` (${dir})`}`,
    ...why.map((reason) => `  - ${reason}`),
    ...(fix === undefined ? [] : [`  remedy: ${fix}`]),
  ].join('\n')
}

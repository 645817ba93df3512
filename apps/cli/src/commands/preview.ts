import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { whole } from './numbers.js'

const Index = whole(0, Number.MAX_SAFE_INTEGER)

interface PreviewOptions extends ApiOptions {
  readonly png?: string
  readonly out?: string
}

export const previewCommand = (): Command =>
  apiCommand('preview', 'look at one batch, exactly as the trainer gets it, without consuming it')
    .argument('<job>', 'id of the job')
    .argument('<epoch>', 'from 0', Index)
    .argument('<batch>', 'from 0', Index)
    .option('--png <file>', 'save its images as one picture')
    .option('--out <file>', 'save its bytes (safetensors)')
    .action(async (id: string, epoch: number, batch: number, options: PreviewOptions) => {
      const output = outputOf(options)
      const client = clientOf(options)
      for (const [file, format] of [
        [options.png, 'png'],
        [options.out, 'safetensors'],
      ] as const) {
        if (file === undefined) continue
        await writeFile(file, await client.batch(id, { epoch, batch }, format))
        output.note(`wrote ${file}`)
      }
      const json: unknown = JSON.parse(Buffer.from(await client.batch(id, { epoch, batch }, 'json')).toString())
      output.result(json, JSON.stringify(json, null, 2))
    })

import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Output } from '../terminal/output.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { whole } from './numbers.js'

const Index = whole(0, Number.MAX_SAFE_INTEGER)

interface PreviewOptions extends ApiOptions {
  readonly png?: string
  readonly out?: string
}

export const previewCommand = (): Command =>
  apiCommand('preview', 'look at one batch, as the trainer gets it, without consuming it; with --json all its values')
    .argument('<job>', 'id of the job')
    .argument('<epoch>', 'from 0', Index)
    .argument('<batch>', 'from 0', Index)
    .option('--png <file>', 'save its images as one picture')
    .option('--out <file>', 'save its bytes (safetensors)')
    .action(async (id: string, epoch: number, batch: number, options: PreviewOptions) => {
      const output = outputOf(options)
      const client = clientOf(options)
      const at = { epoch, batch }
      const bytes = await client.batch(id, at)
      if (options.png !== undefined) await save(options.png, await client.batch(id, at, 'png'), output)
      if (options.out !== undefined) await save(options.out, bytes, output)
      const { batchText, tensorValues } = await import('../terminal/batch-text.js')
      if (!output.json) return output.result(undefined, batchText(bytes))
      const view = JSON.parse(Buffer.from(await client.batch(id, at, 'json')).toString()) as BatchJson
      const values = tensorValues(bytes)
      output.result({ ...view, tensors: view.tensors.map((one) => ({ ...one, ...values[one.name] })) }, '')
    })

interface BatchJson {
  readonly tensors: readonly { readonly name: string }[]
}

async function save(file: string, bytes: Uint8Array, output: Output): Promise<void> {
  await writeFile(file, bytes)
  output.note(`wrote ${file}`)
}

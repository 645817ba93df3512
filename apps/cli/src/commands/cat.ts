import { type Command, InvalidArgumentError } from 'commander'
import { loadSpec } from '../spec-file.js'
import { type CommonOptions, localCommand, outputOf } from './command.js'
import { interrupted } from './interrupted.js'
import { whole } from './numbers.js'

interface CatOptions extends CommonOptions {
  readonly spec?: string
  readonly type?: string
  readonly skip: number
  readonly take?: number
}

const Count = whole(0, Number.MAX_SAFE_INTEGER)
/** Some records are bad; all others were shown. */
const BAD_RECORDS = 3

const HELP = `
SOURCE is a file, a folder, a pattern or a URI (s3://bucket/train-*.tfrecord), or a source as JSON. What it holds is told
by its first bytes and its name; --type says it where they do not. With --spec, each record is also shown after each stage
of a job or a pipeline (JSON, or a module); without SOURCE its own source is read. Records come in the order of the files:
shuffle, batch and the like are left out. Needs no api, no Redis and no TensorFlow. STOKER_OPS names modules of your
own ops, STOKER_S3_ENDPOINT and the AWS variables reach buckets.

--json gives one line a record: {"shard","record","offset","fields":{NAME:{"dtype","shape","values","sha256",...}},
"stages":[{"op","fields"}]}, and {"error":{"code","message","place"},...} for a bad one. Values are row-major; int64 as
decimal text, bytes as UTF-8 or base64 (see "encoding"); NaN and infinities as text (see "special"); long fields have
only the SHA-256 of their little-endian bytes.

Exit codes: 0 all records are sound, ${BAD_RECORDS} some are bad, 1 failed, 2 wrong usage.`

export const catCommand = (): Command =>
  localCommand('cat', 'print records of any source, as they are and after each stage')
    .argument('[source]', 'file, folder, pattern, URI, or JSON', (text: string) => {
      if (text === '') throw new InvalidArgumentError('it is empty')
      return text
    })
    .option(
      '--spec <file>',
      'job or pipeline whose stages are shown: JSON, module (.mjs, .js, .ts), or - for standard input',
    )
    .option('--type <name>', 'kind of the source: tfrecord, textLines, csv, jsonLines, webdataset, parquet, images')
    .option('--skip <n>', 'leave out so many records of the source', Count, 0)
    .option('--take <n>', 'show at most so many records of the source', Count)
    .addHelpText('after', HELP)
    .action(async (source: string | undefined, options: CatOptions) => {
      const output = outputOf(options)
      const document = options.spec === undefined ? undefined : await loadSpec(options.spec)
      const { cat } = await import('../cat/cat.js')
      let bad = 0
      for await (const { look, lines } of cat({ source, document, ...options, signal: interrupted() })) {
        if (look.error) bad++
        output.result(look, lines())
      }
      if (bad > 0) process.exitCode = BAD_RECORDS
    })

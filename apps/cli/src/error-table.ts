import { defineError } from '@stoker/spec'

export const ApiUnreachable = defineError('STK_CLI_API_UNREACHABLE', 'no Stoker api answers at %s: %s', {
  retryable: true,
  remedy: 'start one with `stoker up`, or name a running one by STOKER_URL or --url',
})
export const NotStoker = defineError('STK_CLI_NOT_STOKER', '%s answered %s, which is no answer of a Stoker api: %s', {
  remedy: 'correct STOKER_URL or --url',
})
export const SpecFileUnreadable = defineError('STK_CLI_SPEC_FILE', '%s: %s', {
  remedy: 'give a JSON file, `-` for standard input, or a module (.mjs, .js, .ts) whose default export is a job',
})
export const TypescriptUnknown = defineError('STK_CLI_SPEC_TYPESCRIPT', '%s: Node %s cannot run TypeScript', {
  remedy: 'use Node 22.18 or newer, or save the job as .mjs or JSON',
})
export const NoDataFolder = defineError('STK_CLI_NO_DATA_FOLDER', 'there is no folder %s', {
  remedy: 'name an existing folder by --data, or leave it out to take the working directory',
})
export const PortTaken = defineError('STK_CLI_PORT_TAKEN', 'port %d of %s is in use', {
  remedy: 'stop what uses it, or choose another one with --port (0 picks a free one)',
})
export const ProcessNotReady = defineError('STK_CLI_NOT_READY', '%s did not become ready: %s', {
  remedy: 'its log says why',
})
export const NotBuilt = defineError('STK_CLI_NOT_BUILT', '%s is missing', {
  remedy: 'run `npm ci` and `npm run build` in the checkout',
})
export const JobNotSucceeded = defineError('STK_CLI_JOB_NOT_SUCCEEDED', 'job %s ended as %s')
export const NothingToCat = defineError('STK_CLI_CAT_NOTHING', 'there is nothing to look into', {
  remedy: 'name a source, such as `stoker cat data/train-*.tfrecord`, or a spec with --spec',
})
export const SourceNotJson = defineError('STK_CLI_CAT_JSON', 'the source starts like JSON and is none: %s', {
  remedy: 'quote it for the shell, such as \'{"type": "range", "stop": 3}\'',
})

import { Command } from 'commander'
import { badRecordsCommand } from './commands/bad-records.js'
import { catCommand } from './commands/cat.js'
import { doctorCommand } from './commands/doctor.js'
import { engineCommand } from './commands/engine.js'
import { controlCommands, jobsCommand } from './commands/jobs.js'
import { keyCommand } from './commands/key.js'
import { lintCommand } from './commands/lint.js'
import { modelCommand } from './commands/model.js'
import { previewCommand } from './commands/preview.js'
import { pullCommand } from './commands/pull.js'
import { submitCommand } from './commands/submit.js'
import { upCommand } from './commands/up.js'
import { watchCommand } from './commands/watch.js'

const AFTER = `
Examples:
  stoker up --workers 4                      the whole stack here, page at http://127.0.0.1:7070/
  stoker submit job.json --wait              run a job, with progress
  stoker submit - < job.json                 the same from standard input
  stoker preview JOB 0 0 --png batch.png     what the model will see
  stoker pull JOB --json                     consume a job without training
  stoker bad-records JOB                     what a job went on without, and why
  stoker cat data/train-*.tfrecord --take 1  what a shard holds; with --spec what each stage makes of it
  stoker doctor                              what is missing here, and the command that brings it

STOKER_URL names the api (default http://127.0.0.1:7070), STOKER_API_KEY is the key where it asks for one. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad records (cat).`

export function createProgram(): Command {
  const program = new Command('stoker')
    .description(
      'Keeps an accelerator fed: deterministic preprocessing, a bounded batch buffer, a trainer that never waits.',
    )
    .version('0.1.0')
    .addHelpText('after', AFTER)
    .showHelpAfterError('(add --help for the options)')
  const commands = [
    ...[upCommand(), submitCommand(), watchCommand(), jobsCommand(), ...controlCommands(), lintCommand()],
    ...[badRecordsCommand(), previewCommand(), pullCommand(), catCommand()],
    ...[engineCommand(), modelCommand(), doctorCommand(), keyCommand()],
  ]
  for (const command of commands) program.addCommand(command)
  return program
}

import { CommanderError } from 'commander'
import { createProgram } from './program.js'
import { reportFailure } from './terminal/report-failure.js'

// A reader that has seen enough (`stoker pull ... | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})
const program = createProgram()
for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
  command.exitOverride()
}
try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else process.exitCode = reportFailure(error, process.argv.includes('--json'))
}

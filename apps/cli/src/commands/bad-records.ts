import type { Command } from 'commander'
import type { BadRecord } from '../client/job-view.js'
import { table } from '../terminal/output.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'

export const badRecordsCommand = (): Command =>
  apiCommand('bad-records', 'list the records that a job went on without, and why')
    .argument('<job>', 'id of the job')
    .action(async (id: string, options: ApiOptions) => {
      const records = await clientOf(options).badRecords(id)
      const text =
        records.length === 0
          ? 'no bad record so far'
          : table([['shard', 'record', 'offset', 'code', 'reason', 'instead'], ...records.map(rowOf)])
      outputOf(options).result(records, text)
    })

const rowOf = ({ shard, record, offset, code, message, lost, standIn }: BadRecord): string[] => [
  shard,
  String(record),
  offset === undefined ? '' : String(offset),
  code,
  lost === undefined ? message : `${message} (and about ${lost} more behind it)`,
  standIn ? `record ${standIn.record} of ${standIn.shard}` : '',
]

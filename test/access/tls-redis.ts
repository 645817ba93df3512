import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildServer, freePort, redisProgram, startChildServer } from '@stoker/services'
import type { Certificate } from './certificate.js'

export interface TlsRedis {
  readonly port: number
  readonly server: ChildServer
}

/** What Stoker may do there; SECURITY.md shows it. */
export const STOKER_RULES = '~stoker:* ~{stoker}:* &stoker:* +@all -@admin -@dangerous +info +client|setname'

/** A Redis that speaks TLS only, with users by ACL: `stoker`, and `auditor`, who may look at everything. */
export async function startTlsRedis(
  folder: string,
  { certFile, keyFile }: Certificate,
  passwords: { readonly stoker: string; readonly auditor: string },
): Promise<TlsRedis> {
  const hash = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`
  const aclFile = join(folder, 'users.acl')
  await writeFile(
    aclFile,
    `user default off\nuser stoker on ${hash(passwords.stoker)} ${STOKER_RULES}\nuser auditor on ${hash(passwords.auditor)} ~* &* +@all\n`,
  )
  const port = await freePort()
  const server = await startChildServer(await redisProgram(), [
    ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile],
    // So that what is stored can be searched for texts.
    ...[
      '--aclfile',
      aclFile,
      '--dir',
      folder,
      '--save',
      '',
      '--rdbcompression',
      'no',
      '--maxmemory-policy',
      'noeviction',
    ],
  ])
  return { port, server }
}

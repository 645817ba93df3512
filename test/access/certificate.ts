import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { which } from '@stoker/services'

export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  /** PEM; it signs itself, so it is its own authority. */
  readonly ca: string
}

/** A self-signed certificate for localhost and 127.0.0.1, by openssl. */
export async function makeCertificate(folder: string, name: string): Promise<Certificate> {
  const openssl = await which('openssl')
  if (!openssl) throw new Error('there is no openssl: run apt-get install -y openssl')
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  await promisify(execFile)(openssl, [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', keyFile, '-out', certFile, '-subj', `/CN=${name}`],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ])
  return { certFile, keyFile, ca: await readFile(certFile, 'utf8') }
}

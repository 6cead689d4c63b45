import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ServerCertificate {
  /** The authority that clients trust. PEM, as are the others. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

const loopbackNames = ['IP:127.0.0.1', 'DNS:localhost'] as const

/**
 * Makes a certificate authority and a certificate of it for 127.0.0.1, good for two days.
 *
 * @param names other names that it is for, as OpenSSL writes them: `DNS:example.com`.
 */
export function makeCertificate(
  folder: string,
  names: readonly string[] = loopbackNames,
): ServerCertificate {
  const caFile = join(folder, 'ca.pem')
  const caKeyFile = join(folder, 'ca.key')
  const certFile = join(folder, 'server.pem')
  const keyFile = join(folder, 'server.key')
  const requestFile = join(folder, 'server.csr')
  const extensionsFile = join(folder, 'extensions')
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = ['-x509', '-days', '2', '-subj', '/CN=Bucketry test authority']
  openssl('req', ...authority, ...newKey, '-keyout', caKeyFile, '-out', caFile)
  const server = ['-subj', '/CN=127.0.0.1', '-keyout', keyFile, '-out', requestFile]
  openssl('req', ...newKey, ...server)
  // Go clients look at the alternative names only (RFC 6125 section 6.4.4).
  writeFileSync(extensionsFile, `subjectAltName=${names.join(',')}\n`)
  const issuer = ['-CA', caFile, '-CAkey', caKeyFile, '-CAcreateserial', '-days', '2']
  const files = ['-in', requestFile, '-out', certFile, '-extfile', extensionsFile]
  openssl('x509', '-req', ...issuer, ...files)
  return { caFile, certFile, keyFile }
}

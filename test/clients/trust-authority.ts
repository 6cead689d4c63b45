import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** What NODE_EXTRA_CA_CERTS does, for clients that run in the process of the test. */
export function trustAuthority(caFile: string | undefined): void {
  if (caFile === undefined) return
  const certificates = new Set([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
  setDefaultCACertificates([...certificates])
}

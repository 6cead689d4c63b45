import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { makeCertificate } from '../support/certificates.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'

/** The endpoint and credentials for a client. */
export interface Endpoint {
  readonly gateway: GatewayProcess
  readonly scheme: 'http' | 'https'
  /** The folder with the bucket's objects as files. */
  readonly bucketFolder: string
  /** Scratch space for the client's own files. */
  readonly workFolder: string
  /** The certificate authority to trust; only with HTTPS. */
  readonly caFile: string | undefined
}

/**
 * Runs a suite over HTTP and again over HTTPS, each against a separate gateway: current clients
 * frame and sign bodies differently on each (unsigned trailers only over HTTPS).
 */
export function describeOverBoth(
  title: string,
  options: {
    readonly skip?: string | false
    readonly settings?: Readonly<Record<string, string>>
  },
  suite: (endpoint: () => Endpoint) => void,
): void {
  for (const scheme of ['http', 'https'] as const) {
    const { skip = false, settings = {} } = options
    describe(`${title} over ${scheme.toUpperCase()}`, { skip }, () => {
      let endpoint: Endpoint | undefined
      before(async () => {
        endpoint = await startEndpoint(scheme, settings)
      })
      after(async () => {
        await endpoint?.gateway.kill()
        if (endpoint !== undefined) rmSync(join(endpoint.workFolder, '..'), { recursive: true })
      })
      suite(() => {
        if (endpoint === undefined) throw new Error('the gateway did not start')
        return endpoint
      })
    })
  }
}

async function startEndpoint(
  scheme: Endpoint['scheme'],
  settings: Readonly<Record<string, string>>,
): Promise<Endpoint> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-client-'))
  const workFolder = mkdtempSync(join(folder, 'work-'))
  const certificate = scheme === 'https' ? makeCertificate(folder) : undefined
  const gateway = await startGatewayProcess({
    ...{ folder, settings },
    ...(certificate && { certificate }),
  })
  const bucketFolder = join(gateway.driveFolder, testBucket)
  return { gateway, scheme, bucketFolder, workFolder, caFile: certificate?.caFile }
}

import { availableParallelism, totalmem } from 'node:os'
import { addressRange, domainName, hostName, originOrAny, publicOrigin } from '../parse-names.ts'
import { integerIn, listOf, pemText } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

const gibibyte = 2 ** 30

/** A machine of 4 GiB reports less: firmware and kernel keep a part. */
const fewestMemory = 3.5 * gibibyte

/** The properties of the machine that the default depends on. Memory in bytes. */
export interface Machine {
  readonly cores: number
  readonly memory: number
  /** The limit of the container; 0 if it is unknown. */
  readonly memoryLimit: number
}

/** On two cores, a second process has to be affordable (docs/decisions/0020-workers-on-two-cores.md). */
export function defaultWorkers({ cores, memory, memoryLimit }: Machine): number {
  if (cores !== 2) return cores
  const isSmall = memory < fewestMemory || (memoryLimit > 0 && memoryLimit < gibibyte)
  return isSmall ? 1 : 2
}

const machine: Machine = {
  cores: availableParallelism(),
  memory: totalmem(),
  memoryLimit: process.constrainedMemory(),
}

/** How requests arrive and are served: addresses, TLS, proxies, uploads, processes. */
export const serverSettings = {
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on. Use `0.0.0.0` or `::` for all interfaces.',
    parse: hostName,
  },
  port: {
    name: 'PORT',
    default: '9000',
    meaning: 'Port to listen on. With 0, the system picks a free port.',
    parse: integerIn({ min: 0, max: 65_535 }),
  },
  tlsCert: {
    name: 'TLS_CERT',
    whenUnset: 'plain HTTP',
    meaning:
      'Certificate chain: PEM text or the path of a PEM file. Set it together with TLS_KEY to serve HTTPS.',
    parse: pemText,
  },
  tlsKey: {
    name: 'TLS_KEY',
    whenUnset: 'plain HTTP',
    meaning: 'Private key of the certificate: PEM text or the path of a PEM file.',
    isSecret: true,
    parse: pemText,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    whenUnset: 'from the request',
    meaning:
      'Address that clients use when the gateway is behind a proxy. Signatures for its host are also accepted.',
    parse: publicOrigin,
  },
  virtualHostDomains: {
    name: 'VIRTUAL_HOST_DOMAINS',
    default: '',
    meaning:
      'Domains whose subdomains name a bucket: with `s3.example.net`, `photos.s3.example.net/key` is `/photos/key` (docs/s3-compatibility.md). A list.',
    parse: listOf(domainName),
  },
  websiteDomains: {
    name: 'WEBSITE_DOMAINS',
    default: '',
    meaning:
      'Domains whose subdomains are the websites of buckets: with `web.example.net`, `blog.web.example.net` is that of the bucket `blog`, if it has one (docs/s3-compatibility.md). S3 and the dashboard do not answer there. Requires COMPATIBILITY=aws. A list.',
    parse: listOf(domainName),
  },
  corsAllowedOrigins: {
    name: 'CORS_ALLOWED_ORIGINS',
    default: '',
    meaning:
      'Origins of web pages that may use S3, or `*` for all. If unset, no CORS headers are sent. A list.',
    parse: listOf(originOrAny),
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    default: '',
    meaning: 'Addresses or ranges of proxies whose X-Forwarded-For is trusted. A list.',
    parse: listOf(addressRange),
  },
  uploadExpiryHours: {
    name: 'UPLOAD_EXPIRY_HOURS',
    default: '24',
    meaning: 'Hours without a new part before an incomplete upload is deleted.',
    parse: integerIn({ min: 1, max: 8_760 }),
  },
  partWaitSeconds: {
    name: 'PART_WAIT_SECONDS',
    default: '20',
    meaning:
      'Maximum seconds to hold a part that arrives before its turn, at most 64 parts ahead, while another part of the upload is being received. If no other part is being received: 2 seconds. Clients time out after 60 seconds.',
    parse: integerIn({ min: 0, max: 3_600 }),
  },
  minPartMib: {
    name: 'MIN_PART_MIB',
    default: '0',
    defaultInAws: '5',
    meaning:
      'Minimum part size of a multipart upload in MiB, except for the last part. CompleteMultipartUpload refuses smaller parts with EntityTooSmall.',
    parse: integerIn({ min: 0, max: 5_120 }),
  },
  workers: {
    name: 'WORKERS',
    default: String(defaultWorkers(machine)),
    whenUnset:
      'the number of cores; 1 for Google Drive, and on two cores with less than 4 GiB of memory or a limit below 1 GiB',
    meaning: 'Number of processes that serve requests. Must be 1 for `memory:`.',
    parse: integerIn({ min: 1, max: 256 }),
  },
  shutdownDelaySeconds: {
    name: 'SHUTDOWN_DELAY_SECONDS',
    default: '0',
    meaning:
      'Seconds to continue serving after SIGTERM. During this time `/-/readyz` answers 503, so that a load balancer stops sending requests.',
    parse: integerIn({ min: 0, max: 3_600 }),
  },
} as const satisfies Record<string, Setting<unknown>>

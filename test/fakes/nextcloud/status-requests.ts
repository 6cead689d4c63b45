import { DavError } from './dav-error.ts'
import type { DavReply } from './dav-exchange.ts'

const version = { major: 31, minor: 0, micro: 9, string: '31.0.9', edition: '' }

export interface StatusFacts {
  readonly isMaintained: boolean
  readonly uid: string
}

/** The requests with which a client identifies the server. */
export function answerStatusRequest(path: string, { isMaintained, uid }: StatusFacts): DavReply {
  if (path === '/status.php') return json(statusOf(isMaintained))
  if (/^\/ocs\/v[12]\.php\/cloud\/capabilities$/.test(path))
    return json(ocs({ version, capabilities }))
  if (/^\/ocs\/v[12]\.php\/cloud\/user$/.test(path)) return json(ocs({ id: uid }))
  throw new DavError(404, `${path} could not be located`)
}

function statusOf(isMaintained: boolean) {
  return {
    installed: true,
    maintenance: isMaintained,
    needsDbUpgrade: false,
    version: `${version.string}.1`,
    versionstring: version.string,
    edition: version.edition,
    productname: 'Nextcloud',
    extendedSupport: false,
  }
}

const capabilities = {
  checksums: { supportedTypes: ['SHA1'], preferredUploadType: 'SHA1' },
  dav: { chunking: '1.0', public_shares_chunking: true },
  files: {
    bigfilechunking: true,
    chunked_upload: { max_size: 10_485_760, max_parallel_count: 5 },
    forbidden_filenames: ['.htaccess'],
    forbidden_filename_characters: ['\\', '/'],
    forbidden_filename_extensions: ['.filepart', '.part'],
    undelete: true,
    versioning: true,
  },
}

function ocs(data: object): object {
  return { ocs: { meta: { status: 'ok', statuscode: 200, message: 'OK' }, data } }
}

function json(content: object): DavReply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(content),
  }
}

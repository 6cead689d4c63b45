import type {
  Draft,
  Drive,
  OpenObject,
  PartDraft,
  UploadDrive,
} from '../../storage/drives/drive.ts'
import type { EntryCursor } from '../../storage/drives/listed-entry.ts'
import type { Observed } from './observed.ts'

/** The names of a call in metrics (docs/metrics.md) and in traces (docs/tracing.md). Absent: not observed there. */
interface CallNames {
  readonly metric?: string
  readonly span?: string
  readonly result?: CallTable
  readonly within?: CallTable
}
type CallTable = Readonly<Record<string, CallNames>>
type TableOf<Target> = Readonly<Record<keyof Target, CallNames>>

const listCall = { metric: 'list', span: 'list' }
const cursor: TableOf<EntryCursor> = { next: listCall, nextKeys: listCall, seek: {}, hasMore: {} }

/** The bytes are read while the reply is sent, outside of the handler. */
const openObject: TableOf<OpenObject> = {
  size: {},
  modifiedAtMs: {},
  attributes: {},
  content: {},
  read: { span: 'read' },
  readNow: {},
  lend: { span: 'read' },
  close: {},
}

const draft: TableOf<Draft> = {
  write: { metric: 'write' },
  publish: { metric: 'publish', span: 'publish' },
  discard: { span: 'discard' },
}

const part: TableOf<PartDraft> = {
  write: { metric: 'write' },
  commit: { metric: 'commitPart', span: 'uploads.commit' },
  discard: { span: 'uploads.discard' },
}

const uploads: TableOf<UploadDrive> = {
  begin: { metric: 'beginUpload', span: 'uploads.begin' },
  abilities: {},
  takeOver: { metric: 'takeOverUpload', span: 'uploads.takeOver' },
  append: { metric: 'appendPart', span: 'uploads.append', result: part },
  replaceLast: { metric: 'replacePart', span: 'uploads.replaceLast', result: part },
  place: { metric: 'placePart', span: 'uploads.place', result: part },
  removePlace: { metric: 'removePlace', span: 'uploads.removePlace' },
  complete: { metric: 'completeUpload', span: 'uploads.complete' },
  isPublished: { metric: 'isPublished', span: 'uploads.isPublished' },
  abort: { metric: 'abortUpload', span: 'uploads.abort' },
  sweep: { metric: 'sweepUploads' },
}

const drive: TableOf<Drive> = {
  kind: {},
  deletes: {},
  trashes: {},
  readsAlone: {},
  followsChanges: {},
  ownEtags: {},
  isLocal: {},
  prepare: { metric: 'prepare' },
  addBucket: { metric: 'addBucket', span: 'addBucket' },
  removeBucket: { metric: 'removeBucket', span: 'removeBucket' },
  check: { metric: 'check', span: 'check' },
  bucketCreatedAtMs: { metric: 'bucket', span: 'bucketCreatedAtMs' },
  list: { result: cursor },
  head: { metric: 'head', span: 'head' },
  open: { metric: 'open', span: 'open', result: openObject },
  draft: { metric: 'draft', span: 'draft', result: draft },
  copy: { metric: 'copy', span: 'copy' },
  setTags: { metric: 'setTags', span: 'setTags' },
  remove: { metric: 'remove', span: 'remove' },
  removeAll: { metric: 'removeAll', span: 'removeAll' },
  removeFolder: { metric: 'removeFolder', span: 'removeFolder' },
  sweep: { metric: 'sweep' },
  uploads: { within: uploads },
  quota: { metric: 'quota', span: 'quota' },
  statistics: {},
  close: {},
}

/** The calls of a drive that metrics count, and those that have a span. */
export const countedCalls = observedBy('metric', drive)
export const tracedCalls = observedBy('span', drive)

function observedBy(of: 'metric' | 'span', table: CallTable): Observed {
  const members = Object.entries(table).map(([member, names]) => {
    const name = names[of]
    const result = names.result && observedBy(of, names.result)
    const within = names.within && observedBy(of, names.within)
    const observed = {
      ...(name !== undefined && { name }),
      ...(result !== undefined && Object.keys(result).length > 0 && { result }),
      ...(within !== undefined && { within }),
    }
    return [member, observed] as const
  })
  return Object.fromEntries(members.filter(([, observed]) => Object.keys(observed).length > 0))
}

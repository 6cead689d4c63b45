/** The kinds of calls, as counters and faults tell them apart, with their cost in quota units. */
export const quotaUnits = {
  token: 0,
  about: 5,
  list: 100,
  get: 5,
  download: 200,
  create: 50,
  update: 50,
  delete: 50,
  copy: 50,
  generateIds: 5,
  /** Metadata and bytes in one request, of a new file or of one that is there. */
  multipart: 50,
  /** Bytes alone in one request. */
  media: 50,
  /** Begins a resumable session. */
  init: 50,
  /** Bytes of a session that are not its last. */
  chunk: 0,
  /** Bytes of a session, to its end. */
  lastChunk: 0,
  /** Asks a session what it holds, or ends it with no bytes. */
  query: 0,
  /** Gives a session up. */
  cancel: 0,
  startPageToken: 5,
  changes: 100,
  drives: 100,
  drive: 5,
} as const

export type CallKind = keyof typeof quotaUnits

export const callKinds = Object.keys(quotaUnits) as readonly CallKind[]

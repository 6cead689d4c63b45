import type { Account } from '../account.ts'
import type { Call, Reply } from '../call.ts'
import { applyFieldMask, type FieldMask, type FieldSchema, parseFieldMask } from '../field-mask.ts'
import type { FileRecord } from '../file-record.ts'
import { defaultFileMask, fileResource, fileSchema } from '../file-resource.ts'
import { invalidValue } from '../google-error.ts'

/** The mask of a reply with a file. */
export function fileMask(query: URLSearchParams): FieldMask {
  return maskOf(query, { schema: fileSchema, usual: defaultFileMask })
}

/** The mask of the query, or the default one if `fields` is absent or empty. */
export function maskOf(
  query: URLSearchParams,
  { schema, usual }: { schema: FieldSchema; usual: FieldMask },
): FieldMask {
  const fields = query.get('fields') ?? ''
  return fields === '' ? usual : parseFieldMask(fields, schema)
}

/** The fields of a file that the query selects. */
export async function fileReply(
  account: Account,
  record: FileRecord,
  query: URLSearchParams,
): Promise<Reply> {
  const mask = fileMask(query)
  const resource = await fileResource(record, { records: account.files.records(), mask })
  return { status: 200, json: applyFieldMask(resource, mask), record }
}

export async function callFileReply(call: Call, record: FileRecord): Promise<Reply> {
  return await fileReply(call.account, record, call.query)
}

/** `pageSize`, capped at the maximum. */
export function pageSizeOf(query: URLSearchParams, sizes: { usual: number; most: number }): number {
  const text = query.get('pageSize')
  if (text === null) return sizes.usual
  const size = Number(text)
  if (!Number.isInteger(size) || size < 1) {
    const message = `Invalid value '${text}'. Values must be within the range: [1, ${sizes.most}]`
    throw invalidValue('pageSize', message)
  }
  return Math.min(size, sizes.most)
}

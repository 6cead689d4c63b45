import { type CallOptions, fileUrl, type GoogleContext } from './google-context.ts'
import { fileFields, type GoogleFile, googleFileSchema } from './google-file.ts'

export function getFile(
  context: GoogleContext,
  id: string,
  { signal }: CallOptions,
): Promise<GoogleFile> {
  const url = fileUrl(context, id, { fields: fileFields })
  return context.calls.json(
    { doing: 'look up a file', method: 'GET', url, cost: 'get', fileId: id, signal },
    googleFileSchema,
  )
}

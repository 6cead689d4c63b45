import type { TrashReply } from '../../../../src/dashboard/management/trash-routes.ts'
import { request } from '../../api/client.ts'

export function readTrash(bucket: string, after: string, signal: AbortSignal): Promise<TrashReply> {
  return request<TrashReply>('/-/api/trash', { query: { bucket, after }, signal })
}

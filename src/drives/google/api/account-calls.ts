import { z } from 'zod'
import { type CallOptions, type GoogleContext, supported, urlOf } from './google-context.ts'
import {
  type AccountFacts,
  accountSchema,
  type ChangePage,
  changePageSchema,
  fileFields,
} from './google-file.ts'

const startAnswer = z.object({ startPageToken: z.string().min(1) })

export async function startPageToken(
  { calls, endpoints, sharedDriveId }: GoogleContext,
  { signal }: CallOptions,
): Promise<string> {
  const url = urlOf(`${endpoints.api}/changes/startPageToken`, {
    ...supported,
    driveId: sharedDriveId,
    fields: 'startPageToken',
  })
  const doing = 'return a start page token'
  const answer = await calls.json({ doing, method: 'GET', url, cost: 'other', signal }, startAnswer)
  return answer.startPageToken
}

export function changes(
  { calls, endpoints, sharedDriveId }: GoogleContext,
  pageToken: string,
  { signal }: CallOptions,
): Promise<ChangePage> {
  const url = urlOf(`${endpoints.api}/changes`, {
    ...supported,
    includeItemsFromAllDrives: 'true',
    includeRemoved: 'true',
    spaces: 'drive',
    driveId: sharedDriveId,
    pageToken,
    pageSize: '1000',
    fields: `nextPageToken,newStartPageToken,changes(fileId,removed,file(${fileFields}))`,
  })
  const doing = 'list changes'
  return calls.json(
    { doing, method: 'GET', url, cost: 'list', hasPageToken: true, signal },
    changePageSchema,
  )
}

export function about(
  { calls, endpoints }: GoogleContext,
  { signal }: CallOptions,
): Promise<AccountFacts> {
  const fields = 'user(emailAddress),storageQuota(limit,usage)'
  const url = urlOf(`${endpoints.api}/about`, { fields })
  return calls.json(
    { doing: 'return account information', method: 'GET', url, cost: 'other', signal },
    accountSchema,
  )
}

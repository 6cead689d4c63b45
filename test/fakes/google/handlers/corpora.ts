import { isSet, supportsAllDrives } from '../call.ts'
import type { FileRecord } from '../file-record.ts'
import { GoogleError, invalidValue } from '../google-error.ts'

export type IsInCorpora = (record: FileRecord) => boolean

/** Which drives `files.list` searches. */
export function corporaOfSearch(query: URLSearchParams): IsInCorpora {
  const corpora = query.get('corpora') ?? 'user'
  const driveId = driveOf(query)
  const isOfDrive = corpora === 'drive' || corpora === 'teamDrive'
  if (isOfDrive !== (driveId !== undefined)) throw invalidValue(isOfDrive ? 'driveId' : 'corpora')
  return reach(query, driveId)
}

/** Which drives `changes.list` covers. */
export function corporaOfChanges(query: URLSearchParams): IsInCorpora {
  const isReached = reach(query, driveOf(query))
  if (!isSet(query, 'restrictToMyDrive')) return isReached
  return (record) => record.driveId === undefined && isReached(record)
}

function driveOf(query: URLSearchParams): string | undefined {
  return query.get('driveId') ?? query.get('teamDriveId') ?? undefined
}

function reach(query: URLSearchParams, driveId: string | undefined): IsInCorpora {
  const hasAll = isSet(query, 'includeItemsFromAllDrives') || isSet(query, 'includeTeamDriveItems')
  if (hasAll && !supportsAllDrives(query)) throw new GoogleError('supportsTeamDrivesRequired')
  if (driveId === undefined) return (record) => hasAll || record.driveId === undefined
  if (!hasAll) throw new GoogleError('supportsTeamDrivesRequired')
  return (record) => record.driveId === driveId
}

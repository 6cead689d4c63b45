import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { headObject } from './bucket-client.ts'
import type { ObjectDetails } from './object-details.ts'

export type DetailsQuery = UseQueryResult<ObjectDetails>

/** @param versionId undefined: the current version */
export function objectDetails(bucket: string, key: string, versionId?: string) {
  const address = { bucket, key, versionId }
  return queryOptions({
    queryKey: ['object', bucket, key, ...(versionId === undefined ? [] : [versionId])],
    queryFn: ({ signal }): Promise<ObjectDetails> => headObject(address, signal),
  })
}

export function useObjectDetails(bucket: string, key: string, versionId?: string): DetailsQuery {
  return useQuery(objectDetails(bucket, key, versionId))
}

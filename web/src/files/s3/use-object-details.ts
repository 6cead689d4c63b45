import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { headObject } from './bucket-client.ts'
import type { ObjectDetails } from './object-details.ts'

export type DetailsQuery = UseQueryResult<ObjectDetails>

export function objectDetails(bucket: string, key: string) {
  return queryOptions({
    queryKey: ['object', bucket, key],
    queryFn: ({ signal }): Promise<ObjectDetails> => headObject({ bucket, key }, signal),
  })
}

export function useObjectDetails(bucket: string, key: string): DetailsQuery {
  return useQuery(objectDetails(bucket, key))
}

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { headObject } from './bucket-client.ts'
import type { ObjectDetails } from './object-details.ts'

export type DetailsQuery = UseQueryResult<ObjectDetails>

export function useObjectDetails(bucket: string, key: string): DetailsQuery {
  return useQuery({
    queryKey: ['object', bucket, key],
    queryFn: ({ signal }) => headObject({ bucket, key }, signal),
  })
}

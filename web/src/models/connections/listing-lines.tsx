import { Text } from '@mantine/core'
import type { ListingsAnswer } from '../../../../src/models/listed-models-api.ts'
import { formatAmount } from '../../format/bytes.ts'

export type ConnectionListing = ListingsAnswer['connections'][number]

/** Shows how many models of a connection are listed, and why others are not. */
export function ListingLines({ listing }: { readonly listing: ConnectionListing }) {
  return (
    <>
      <Text size="xs" c="dimmed" mt={4}>
        {formatAmount(listing.listed, 'model')} listed
      </Text>
      {listing.reasons.map(({ message, models, count }) => (
        <Text key={message} size="xs" c="dimmed" mt={2}>
          {count > 0 && `${formatAmount(count, 'model')} not listed: `}
          {message}
          {models.length > 0 && ` (${models.join(', ')}${count > models.length ? ', …' : ''})`}
        </Text>
      ))}
    </>
  )
}

import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { presign } from '../../api/client.ts'
import { sharedUrl } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { formatMoment } from '../../format/time.ts'
import { CustomLifetime } from './custom-lifetime.tsx'
import { LinkField } from './link-field.tsx'
import { shareLifetimes } from './share-lifetime.ts'

const custom = 'custom'
const choices = [
  ...shareLifetimes.map(({ label, seconds }) => ({ label, value: String(seconds) })),
  { label: 'Other', value: custom },
]

interface LinkProps {
  readonly bucket: string
  readonly objectKey: string
}

/** A presigned URL, for scripts: it returns the bytes without a page, and its uses are not counted. */
export function SignedLinkForm({ bucket, objectKey }: LinkProps) {
  const [choice, setChoice] = useState(choices[1]?.value ?? custom)
  const [customSeconds, setCustomSeconds] = useState<number>()
  const seconds = choice === custom ? customSeconds : Number(choice)
  return (
    <Stack>
      <div>
        <Text size="sm" fw={500} mb={4} id="share-lifetime">
          The link works for
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="share-lifetime"
          data={choices}
          value={choice}
          onChange={setChoice}
        />
      </div>
      {choice === custom && <CustomLifetime onChange={setCustomSeconds} />}
      {seconds !== undefined && (
        <SignedLink bucket={bucket} objectKey={objectKey} seconds={seconds} />
      )}
    </Stack>
  )
}

function SignedLink({ bucket, objectKey, seconds }: LinkProps & { readonly seconds: number }) {
  const endpoint = useStatus().data?.endpoint
  const { data, error } = useQuery({
    queryKey: ['share', bucket, objectKey, seconds],
    queryFn: ({ signal }) =>
      presign({ method: 'GET', bucket, key: objectKey, expiresSeconds: seconds }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) {
    return (
      <Alert color="red" variant="light" title="The link could not be created">
        {error.message}
      </Alert>
    )
  }
  const isReady = data !== undefined && endpoint !== undefined
  return (
    <>
      <LinkField label="Link" url={isReady ? sharedUrl(data.url, endpoint, location.origin) : ''} />
      <Text size="sm" c="dimmed" role="status">
        {isReady
          ? `Until ${formatMoment(Date.parse(data.expiresAt))}, anyone with this link can download the file, or one that replaces it under this name. It cannot be revoked: to end it earlier, move or delete the file.`
          : 'Creating the link…'}
      </Text>
    </>
  )
}

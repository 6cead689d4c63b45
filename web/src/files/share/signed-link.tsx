import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { presign } from '../../api/client.ts'
import { sharedUrl } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { formatDuration, formatMoment } from '../../format/time.ts'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { CustomLifetime } from './custom-lifetime.tsx'
import { LinkField } from './link-field.tsx'
import { shareLifetimes } from './share-lifetime.ts'

const custom = 'custom'
const choices = [
  ...shareLifetimes.map((seconds) => ({ label: formatDuration(seconds), value: String(seconds) })),
  { label: filesDialogsTexts.lifetime.other, value: custom },
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
          {filesDialogsTexts.lifetime.label}
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
      <Alert color="red" variant="light" title={filesDialogsTexts.signed.failure}>
        {error.message}
      </Alert>
    )
  }
  const isReady = data !== undefined && endpoint !== undefined
  return (
    <>
      <LinkField
        label={filesDialogsTexts.share.link}
        what={filesDialogsTexts.share.linkWhat}
        url={isReady ? sharedUrl(data.url, endpoint, location.origin) : ''}
      />
      <Text size="sm" c="dimmed" role="status">
        {isReady
          ? filesDialogsTexts.signed.until(formatMoment(Date.parse(data.expiresAt)))
          : filesDialogsTexts.signed.creating}
      </Text>
    </>
  )
}

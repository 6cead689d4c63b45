import {
  Alert,
  FocusTrap,
  Group,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { presign } from '../../api/client.ts'
import { publicAccess } from '../../api/public-access.ts'
import { serviceAddress, sharedUrl } from '../../api/service-address.ts'
import { useBuckets, useStatus } from '../../api/service-queries.ts'
import { formatMoment } from '../../format/time.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { nameOf } from '../entries/entry.ts'
import { objectPath } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { CustomLifetime } from './custom-lifetime.tsx'
import { shareLifetimes } from './share-lifetime.ts'

interface ShareDialogProps {
  readonly bucket: string
  readonly objectKey: string
  readonly onClose: () => void
}

const custom = 'custom'
const choices = [
  ...shareLifetimes.map(({ label, seconds }) => ({ label, value: String(seconds) })),
  { label: 'Other', value: custom },
]

export function ShareDialog({ bucket, objectKey, onClose }: ShareDialogProps) {
  const [choice, setChoice] = useState(choices[1]?.value ?? custom)
  const [customSeconds, setCustomSeconds] = useState<number>()
  const seconds = choice === custom ? customSeconds : Number(choice)
  const name = visibleName(nameOf(objectKey))
  return (
    <Modal opened onClose={onClose} title={`Share “${name}”`} centered size="lg">
      <FocusTrap.InitialFocus />
      <Stack>
        <PublicLink bucket={bucket} objectKey={objectKey} />
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
    </Modal>
  )
}

interface LinkProps {
  readonly bucket: string
  readonly objectKey: string
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
          ? `Until ${formatMoment(Date.parse(data.expiresAt))}, anyone with this link can download the file, or one that replaces it under this name. To end this earlier, move or delete the file.`
          : 'Creating the link…'}
      </Text>
    </>
  )
}

/** In a public bucket the plain address works and does not expire. */
function PublicLink({ bucket, objectKey }: LinkProps) {
  const { data } = useBuckets()
  const status = useStatus().data
  const endpoint = status?.endpoint
  const isPublic = data?.buckets.some(({ name, isPublic }) => name === bucket && isPublic) ?? false
  if (!isPublic || endpoint === undefined) return null
  return (
    <Alert color="orange" variant="light" title="This bucket is public">
      <Stack gap="xs">
        <Text size="sm">
          {publicAccess(status)} A link that expires does not limit this: the file also has an
          address that does not expire.
        </Text>
        <LinkField
          label="Public link"
          url={serviceAddress(endpoint, location.origin) + objectPath(bucket, objectKey)}
        />
      </Stack>
    </Alert>
  )
}

function LinkField({ label, url }: { readonly label: string; readonly url: string }) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        readOnly
        value={url}
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={url} what={label.toLowerCase()} size="sm">
        Copy
      </CopyButton>
    </Group>
  )
}

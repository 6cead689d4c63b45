import { Alert, FocusTrap, Modal, Stack, Tabs, Text } from '@mantine/core'
import { publicAccess } from '../../api/public-access.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useBuckets, useStatus } from '../../api/service-queries.ts'
import { nameOf } from '../entries/entry.ts'
import { objectPath } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { LinkField } from './link-field.tsx'
import { LinkForm } from './link-form.tsx'
import { SignedLinkForm } from './signed-link.tsx'

interface LinkProps {
  readonly bucket: string
  readonly objectKey: string
}

interface ShareDialogProps extends LinkProps {
  readonly onClose: () => void
}

/** Creates links to a file or a folder. */
export function ShareDialog({ bucket, objectKey, onClose }: ShareDialogProps) {
  const isFolder = objectKey.endsWith('/')
  const name = visibleName(nameOf(objectKey))
  return (
    <Modal opened onClose={onClose} title={`Share “${name}”`} centered size="lg">
      <FocusTrap.InitialFocus />
      <Stack>
        {!isFolder && <PublicLink bucket={bucket} objectKey={objectKey} />}
        <Tabs defaultValue="link" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="link">{isFolder ? 'To see it' : 'For people'}</Tabs.Tab>
            {isFolder ? (
              <Tabs.Tab value="drop">To send files</Tabs.Tab>
            ) : (
              <Tabs.Tab value="signed">For scripts</Tabs.Tab>
            )}
          </Tabs.List>
          <Tabs.Panel value="link">
            <LinkForm target={{ kind: isFolder ? 'folder' : 'file', bucket, path: objectKey }} />
          </Tabs.Panel>
          <Tabs.Panel value="drop">
            <Text size="sm" c="dimmed" mb="sm">
              Visitors add files to this folder. They see nothing that is in it, and replace
              nothing.
            </Text>
            <LinkForm target={{ kind: 'drop', bucket, path: objectKey }} />
          </Tabs.Panel>
          <Tabs.Panel value="signed">
            <SignedLinkForm bucket={bucket} objectKey={objectKey} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Modal>
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

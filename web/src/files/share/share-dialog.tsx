import { Alert, FocusTrap, Modal, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { publicAccess } from '../../api/public-access.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useBuckets, useStatus } from '../../api/service-queries.ts'
import type { ShareTarget } from '../../shares/share-draft.ts'
import { ShareRows } from '../../shares/shares-page.tsx'
import { useShares } from '../../shares/shares-queries.ts'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { objectPath } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { LinkField } from './link-field.tsx'
import { LinkForm } from './link-form.tsx'
import { targetOf } from './share-target.ts'
import { SignedLinkForm } from './signed-link.tsx'

interface ShareDialogProps {
  readonly bucket: string
  /** Of the files and folders that are shared together. */
  readonly keys: readonly string[]
  readonly onClose: () => void
}

/** The links to a file, a folder, or several of them, and a new one. */
export function ShareDialog({ bucket, keys, onClose }: ShareDialogProps) {
  const { name: plainName, ...target } = targetOf(bucket, keys)
  const name = visibleName(plainName)
  const objectKey = target.path
  const isFolder = target.kind === 'folder'
  const isOne = target.items.length === 0
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        isOne ? filesDialogsTexts.share.title(name) : filesDialogsTexts.share.titleOfMany(name)
      }
      centered
      size="lg"
    >
      <FocusTrap.InitialFocus />
      <Stack>
        {isOne && <ExistingLinks bucket={bucket} path={objectKey} />}
        <PublicNote bucket={bucket} file={isFolder ? undefined : objectKey} />
        {isOne ? (
          <LinkTabs target={target} name={name} />
        ) : (
          <LinkForm target={target} name={name} />
        )}
      </Stack>
    </Modal>
  )
}

interface LinkTabsProps {
  readonly target: ShareTarget
  readonly name: string
}

/** The kinds of links to a file or a folder. */
function LinkTabs({ target, name }: LinkTabsProps) {
  const { bucket, path } = target
  const isFolder = target.kind === 'folder'
  return (
    <Tabs defaultValue="link" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="link">
          {isFolder ? filesDialogsTexts.share.toView : filesDialogsTexts.share.forPeople}
        </Tabs.Tab>
        {isFolder && <Tabs.Tab value="drop">{filesDialogsTexts.share.toReceive}</Tabs.Tab>}
        {!isFolder && <Tabs.Tab value="signed">{filesDialogsTexts.share.forScripts}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="link">
        <LinkForm target={target} name={name} />
      </Tabs.Panel>
      <Tabs.Panel value="drop">
        <Text size="sm" c="dimmed" mb="sm">
          {filesDialogsTexts.share.dropText}
        </Text>
        <LinkForm target={{ kind: 'drop', bucket, path }} name={name} />
      </Tabs.Panel>
      <Tabs.Panel value="signed">
        <SignedLinkForm bucket={bucket} objectKey={path} />
      </Tabs.Panel>
    </Tabs>
  )
}

/** Links that were made before and work, so that nobody makes a second one for the same. */
function ExistingLinks({ bucket, path }: { readonly bucket: string; readonly path: string }) {
  const [openedAtMs] = useState(() => Date.now())
  const shares = useShares().data?.shares.filter(
    (one) =>
      one.end === null &&
      one.bucket === bucket &&
      one.path === path &&
      one.items.length === 0 &&
      // The form below shows one that was just made.
      Date.parse(one.createdAt) < openedAtMs,
  )
  if (shares === undefined || shares.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {filesDialogsTexts.share.existing}
      </Text>
      <ShareRows shares={shares} />
    </div>
  )
}

interface PublicNoteProps {
  readonly bucket: string
  /** The key of the file; undefined for a folder and several files. */
  readonly file: string | undefined
}

/** In a public bucket a link protects nothing, and the plain address of a file does not expire. */
function PublicNote({ bucket, file }: PublicNoteProps) {
  const { data } = useBuckets()
  const status = useStatus().data
  const endpoint = status?.endpoint
  const isPublic = data?.buckets.some(({ name, isPublic }) => name === bucket && isPublic) ?? false
  if (!isPublic || endpoint === undefined) return null
  const access = publicAccess(status)
  return (
    <Alert color="orange" variant="light" title={filesDialogsTexts.share.publicTitle}>
      {file === undefined ? (
        <Text size="sm">{access}</Text>
      ) : (
        <Stack gap="xs">
          <Text size="sm">{filesDialogsTexts.share.publicText(access)}</Text>
          <LinkField
            label={filesDialogsTexts.share.publicLink}
            what={filesDialogsTexts.share.publicLinkWhat}
            url={serviceAddress(endpoint, location.origin) + objectPath(bucket, file)}
          />
        </Stack>
      )}
    </Alert>
  )
}

import { Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconEye, IconHistory, IconTrashX } from '@tabler/icons-react'
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useId } from 'react'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { formatBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { versionsTexts } from '../../texts/versions.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { failureOf, showSuccess } from '../../ui/messages.ts'
import { MoreButton } from '../../ui/more-button.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { deleteObjects } from '../s3/bucket-client.ts'
import type { VersionName } from '../s3/delete-xml.ts'
import { download } from '../s3/download-files.ts'
import type { VersionLock } from '../s3/object-details.ts'
import { objectDetails } from '../s3/use-object-details.ts'
import { listVersions, restoreVersion } from '../s3/version-client.ts'
import type { ListedVersion } from '../s3/version-page.ts'
import { driveChanges } from '../transfers/transfers.ts'

interface VersionsPanelProps {
  readonly bucket: BucketStatus
  readonly file: FileEntry
  /** The former version that is shown; undefined: the current one. */
  readonly shown?: ListedVersion | undefined
  /** Absent where no version can be shown. */
  readonly onShow?: (version: ListedVersion | undefined) => void
}

/** Versions per page. */
const pageVersions = 20

/** The versions of a file, the newest first. */
export function VersionsPanel(props: VersionsPanelProps) {
  const { bucket, file } = props
  const { key } = file
  const titleId = useId()
  const query = useInfiniteQuery({
    queryKey: ['versions', bucket.name, key, file.etag],
    queryFn: ({ pageParam: after, signal }) =>
      listVersions({ bucket: bucket.name, prefix: key, after, limit: pageVersions }, signal),
    initialPageParam: undefined as VersionName | undefined,
    // Keys that begin with this one follow its versions.
    getNextPageParam: ({ versions, next }) => (versions.at(-1)?.key === key ? next : undefined),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-labelledby={titleId}>
      <Title order={2} size="h6" mb={8} id={titleId}>
        {versionsTexts.title}
      </Title>
      <Loaded query={query} failure={versionsTexts.failure}>
        {({ pages }) => {
          const versions = pages.flatMap((page) => page.versions).filter((one) => one.key === key)
          // While versions are suspended, a write replaces the version `null`.
          const isKept = bucket.versioning === 'enabled' || versions[0]?.versionId !== 'null'
          return (
            <>
              <RowList>
                {versions.map((version) => (
                  <VersionRow
                    key={version.versionId}
                    {...{ ...props, version }}
                    canRestore={isKept}
                  />
                ))}
              </RowList>
              <MoreButton query={query} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

interface VersionRowProps extends VersionsPanelProps {
  readonly version: ListedVersion
  readonly canRestore: boolean
}

function VersionRow(props: VersionRowProps) {
  const { bucket, file, version, shown, onShow } = props
  const { versionId, isLatest, isDeleteMarker } = version
  const { data } = useQuery({
    ...objectDetails(bucket.name, file.key, versionId),
    enabled: bucket.hasObjectLock && !isDeleteMarker,
  })
  const canDelete = !bucket.hasObjectLock || (data !== undefined && data.lock === undefined)
  const time = formatMoment(version.modifiedAtMs)
  const isShown = shown === undefined ? isLatest : shown.versionId === versionId
  return (
    <Row
      title={<span style={{ fontWeight: isShown ? 600 : undefined }}>{time}</span>}
      detail={detailOf(version, data?.lock)}
      actions={
        !isDeleteMarker && (
          <>
            {onShow !== undefined && (
              <IconButton
                label={versionsTexts.showOf(time)}
                aria-pressed={isShown}
                variant={isShown ? 'light' : 'subtle'}
                onClick={() => onShow(isLatest ? undefined : version)}
              >
                <IconEye size={16} />
              </IconButton>
            )}
            {!isLatest && <FormerActions {...props} time={time} canDelete={canDelete} />}
          </>
        )
      }
    />
  )
}

interface FormerActionsProps extends VersionRowProps {
  readonly time: string
  readonly canDelete: boolean
}

function FormerActions({ time, canRestore, canDelete, ...props }: FormerActionsProps) {
  const { bucket, file, version } = props
  const [isAsking, { open, close }] = useDisclosure(false)
  const restore = useVersionAction(props, versionsTexts.restoreFailure, restoreFile)
  const remove = useVersionAction(props, versionsTexts.deleteFailure, removeVersion)
  return (
    <>
      <IconButton
        label={versionsTexts.downloadOf(time)}
        onClick={() => void download(bucket.name, [file], version.versionId)}
      >
        <IconDownload size={16} />
      </IconButton>
      {canRestore && (
        <IconButton
          label={versionsTexts.restoreOf(time)}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          <IconHistory size={16} />
        </IconButton>
      )}
      {canDelete && (
        <IconButton label={versionsTexts.deleteOf(time)} color="red" onClick={open}>
          <IconTrashX size={16} />
        </IconButton>
      )}
      <Confirm
        isOpen={isAsking}
        title={versionsTexts.deleteAsk}
        action={versionsTexts.delete}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
        onClose={close}
      >
        {versionsTexts.deleteText(time, visibleName(file.name), formatBytes(version.size))}
      </Confirm>
    </>
  )
}

function detailOf({ isLatest, isDeleteMarker, size }: ListedVersion, lock?: VersionLock): string {
  if (isDeleteMarker) return versionsTexts.marker
  const parts = [
    formatBytes(size),
    isLatest && versionsTexts.current,
    lock?.untilMs !== undefined && versionsTexts.lockedUntil(formatMoment(lock.untilMs)),
    lock?.hasLegalHold && versionsTexts.legalHold,
  ]
  return parts.filter(Boolean).join(', ')
}

type ActionParts = Pick<VersionRowProps, 'bucket' | 'file' | 'version' | 'onShow'>

function useVersionAction(
  parts: ActionParts,
  failure: string,
  act: (parts: ActionParts) => Promise<void>,
) {
  const client = useQueryClient()
  const { bucket, file, onShow } = parts
  return useMutation({
    mutationFn: () => act(parts),
    onSuccess: () => onShow?.(undefined),
    onError: failureOf(failure),
    onSettled: () =>
      Promise.all(
        ['versions', 'object'].map((what) =>
          client.invalidateQueries({ queryKey: [what, bucket.name, file.key] }),
        ),
      ),
  })
}

/** Copies the version on top of the others. */
async function restoreFile({ bucket: { name: bucket }, file, version }: ActionParts) {
  const etag = await restoreVersion({ bucket, ...version })
  const modifiedAtMs = Date.now()
  driveChanges.publishBack(bucket, { ...file, size: version.size, etag, modifiedAtMs })
  showSuccess(versionsTexts.restored)
}

async function removeVersion({ bucket, version: { key, versionId } }: ActionParts) {
  const [failure] = await deleteObjects(bucket.name, [{ key, versionId }])
  if (failure !== undefined) throw new Error(failure.message)
}

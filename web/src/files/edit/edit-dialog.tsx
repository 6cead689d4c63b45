import { Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useBuckets } from '../../api/service-queries.ts'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { frameTexts } from '../../texts/frame.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { subjectOf } from '../change/put-entries.ts'
import type { Entry, FileEntry } from '../entries/entry.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import { type ObjectTags, objectTags, writeTags } from '../s3/object-tags.ts'
import { objectDetails, useObjectDetails } from '../s3/use-object-details.ts'
import { jobs } from '../transfers/transfers.ts'
import { editClient } from './edit-file.ts'
import { type EditClient, editJob } from './edit-job.ts'
import type { MetadataChange } from './metadata-change.ts'
import { changeOf, draftOf, isValid } from './metadata-draft.ts'
import { MetadataForm } from './metadata-form.tsx'
import { changedTags, TagRows, tagRowsOf, tagsProblem } from './tag-rows.tsx'

interface EditDialogProps {
  readonly bucket: string
  readonly entries: readonly Entry[]
  readonly onClose: () => void
}

/** Edits the metadata of a file, or of several files and folders. */
export function EditDialog(props: EditDialogProps) {
  const [first] = props.entries
  const isOne = props.entries.length === 1 && first?.kind === 'file'
  return isOne ? <EditFile {...props} file={first} /> : <EditMany {...props} />
}

interface EditFileProps extends EditDialogProps {
  readonly file: FileEntry
}

function EditFile({ bucket, entries, file, onClose }: EditFileProps) {
  const { data, error } = useObjectDetails(bucket, file.key)
  /** The version that the form shows, even if another one is uploaded while it is open. */
  const first = useRef<ObjectDetails>(undefined)
  first.current ??= data
  const details = first.current
  const client = useClient(bucket)
  const queries = useQueryClient()
  const address = { bucket, key: file.key }
  const { data: tags, error: tagsError } = useQuery({ ...objectTags(address), gcTime: 0 })
  const save = useMutation({
    networkMode: 'always',
    mutationFn: async ({ change, tags: changed }: FileEdit) => {
      if (change !== undefined) {
        await client.edit({ ...file, etag: details?.etag ?? file.etag }, change)
      }
      if (changed === undefined) return
      await writeTags(address, changed)
      await queries.invalidateQueries({ queryKey: ['tags', bucket, file.key] })
    },
    onSuccess: onClose,
  })
  const problemOf = (failure: Error | null) =>
    failure === null ? undefined : (client.reasonOf(failure) ?? failure.message)
  const loadError = error ?? tagsError
  if (details === undefined || tags === undefined) {
    return (
      <FormDialog
        {...{ ...dialogOf(entries), onClose }}
        isBusy
        problem={problemOf(loadError)}
        onSubmit={onClose}
      >
        {loadError === null && <Loading />}
      </FormDialog>
    )
  }
  return (
    <EditForm
      {...{ bucket, entries, details, tags, onClose }}
      isBusy={save.isPending}
      problem={problemOf(save.error)}
      onSave={save.mutate}
    />
  )
}

function EditMany({ bucket, entries, onClose }: EditDialogProps) {
  const client = useClient(bucket)
  return (
    <EditForm
      {...{ bucket, entries, onClose }}
      details={undefined}
      onSave={({ change }) => {
        if (change !== undefined)
          void jobs.start(
            editJob(fileEditTexts.editing(subjectOf(entries)), entries, change, client),
          )
        onClose()
      }}
    />
  )
}

/** Edits files, and reloads their details. */
function useClient(bucket: string): EditClient {
  const queries = useQueryClient()
  return useMemo(
    () =>
      editClient(bucket, (key) => {
        void queries.invalidateQueries({ queryKey: objectDetails(bucket, key).queryKey })
      }),
    [bucket, queries],
  )
}

interface EditFormProps extends EditDialogProps {
  /** The details of a single file. */
  readonly details: ObjectDetails | undefined
  readonly isBusy?: boolean
  readonly problem?: string | undefined
  /** The tags of a single file. */
  readonly tags?: ObjectTags
  readonly onSave: (edit: FileEdit) => void
}

/** What has been changed; undefined: nothing. */
interface FileEdit {
  readonly change: MetadataChange | undefined
  readonly tags: ObjectTags | undefined
}

function EditForm({ bucket, entries, details, tags, onSave, onClose, ...props }: EditFormProps) {
  const [draft, setDraft] = useState(() => draftOf(details))
  const [tagRows, setTagRows] = useState(() => tagRowsOf(tags ?? []))
  const [isTried, setIsTried] = useState(false)
  const submit = () => {
    setIsTried(true)
    if (!isValid(draft) || tagsProblem(tagRows) !== undefined) return
    const found = changeOf(draft, details)
    const change = found.headers.size + found.metadata.size === 0 ? undefined : found
    const edited = tags && changedTags(tagRows, tags)
    if (change === undefined && edited === undefined) onClose()
    else onSave({ change, tags: edited })
  }
  return (
    <FormDialog
      {...dialogOf(entries)}
      {...props}
      obstacle={useObstacle(bucket)}
      onSubmit={submit}
      onClose={onClose}
    >
      <MetadataForm
        draft={draft}
        isMany={details === undefined}
        isTried={isTried}
        onChange={setDraft}
      />
      {tags !== undefined && <TagRows rows={tagRows} isTried={isTried} onChange={setTagRows} />}
      <Text size="xs" c="dimmed">
        {fileEditTexts.text}
      </Text>
    </FormDialog>
  )
}

function dialogOf(entries: readonly Entry[]) {
  return { title: fileEditTexts.title(subjectOf(entries)), action: frameTexts.save, size: 'lg' }
}

function useObstacle(bucket: string): string | undefined {
  const isReadOnly = useBuckets().data?.buckets.find(({ name }) => name === bucket)?.isReadOnly
  return isReadOnly === true ? fileEditTexts.readOnly(bucket) : undefined
}

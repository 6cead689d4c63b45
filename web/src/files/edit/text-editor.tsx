import { Alert, Button, Modal } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { frameTexts } from '../../texts/frame.ts'
import { useClosesOnEscape } from '../../ui/confirm.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { type EditedFile, readEdited } from './edited-file.ts'
import { ClashDialog, DiscardDialog } from './editor-dialogs.tsx'
import classes from './text-editor.module.css'
import { useEditorState } from './use-editor-state.ts'
import { useLeaveGuard } from './use-leave-guard.ts'

interface TextEditorProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly onClose: () => void
}

/** Edits the text of a file in the whole window. */
export function TextEditor({ bucket, file, onClose }: TextEditorProps) {
  const address = { bucket, key: file.key }
  const { data, error, refetch } = useQuery({
    queryKey: ['edited', bucket, file.key],
    queryFn: ({ signal }) => readEdited(address, signal),
    // What is being written is not replaced.
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnReconnect: false },
    retry: (failures, reason) => failures < 2 && !(reason instanceof RangeError),
  })
  if (data !== undefined) return <Editor {...{ bucket, file, onClose }} read={data} />
  return (
    <Modal opened onClose={onClose} title={<NameText name={file.name} />} centered>
      {error === null ? (
        <Loading label={fileEditTexts.editor.loading} />
      ) : (
        <FailureNotice
          title={fileEditTexts.editor.cannot}
          error={error}
          {...(!(error instanceof RangeError) && { onRetry: () => void refetch() })}
        />
      )}
    </Modal>
  )
}

interface EditorProps extends TextEditorProps {
  readonly read: EditedFile
}

function Editor({ bucket, file, read, onClose }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const state = useEditorState({ bucket, key: file.key }, read, field)
  const { base, isChanged, isSaving, problem, save, setText } = state
  const guard = useLeaveGuard(isChanged, onClose)
  const isOnTop = useClosesOnEscape() && state.clash === undefined && !guard.isAsking
  useWindowEvent('keydown', (event) => {
    const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's'
    if (!isSave) return
    event.preventDefault()
    if (isOnTop) save()
  })
  return (
    <Modal.Root opened fullScreen onClose={guard.leave} closeOnEscape={isOnTop}>
      <Modal.Content>
        <div className={classes.frame}>
          <div className={classes.bar}>
            <IconButton label={frameTexts.close} size={40} onClick={guard.leave}>
              <IconX size={20} />
            </IconButton>
            <Modal.Title className={classes.title ?? ''}>
              <NameText name={file.name} />
            </Modal.Title>
            <span className={classes.state} role="status">
              {isChanged
                ? fileEditTexts.editor.unsaved
                : state.isSaved
                  ? fileEditTexts.editor.saved
                  : ''}
            </span>
            <Button size="sm" disabled={!isChanged} loading={isSaving} onClick={save}>
              {frameTexts.save}
            </Button>
          </div>
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          {base.isMixed && <Alert color="yellow">{fileEditTexts.editor.lineEnds}</Alert>}
          <textarea
            // Another text is read after a clash.
            key={state.round}
            ref={field}
            className={classes.text}
            aria-label={fileEditTexts.editor.textOf(visibleName(file.name))}
            defaultValue={base.text}
            spellCheck={false}
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </div>
      </Modal.Content>
      {state.clash !== undefined && (
        <ClashDialog isDeleted={state.clash.isDeleted} isBusy={isSaving} answers={state.answers} />
      )}
      {guard.isAsking && <DiscardDialog onDiscard={guard.discard} onClose={guard.stay} />}
    </Modal.Root>
  )
}

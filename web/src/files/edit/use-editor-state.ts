import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { messageOf, showSuccess } from '../../ui/messages.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { objectDetails } from '../s3/use-object-details.ts'
import {
  Clash,
  type EditedFile,
  readEdited,
  saveCopy,
  saveEdited,
  saveOver,
} from './edited-file.ts'
import type { ClashAnswers } from './editor-dialogs.tsx'

/** The text of a file that is being edited, and how it is saved. */
export function useEditorState(
  address: ObjectAddress,
  read: EditedFile,
  field: RefObject<HTMLTextAreaElement | null>,
) {
  const queries = useQueryClient()
  const [base, setBase] = useState(read)
  const [text, setText] = useState(read.text)
  const [round, setRound] = useState(0)
  const [isSaving, setIsSaving] = useState(false)
  const [isSaved, setIsSaved] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [clash, setClash] = useState<Clash>()
  const run = async (work: () => Promise<EditedFile>) => {
    if (isSaving) return
    setIsSaving(true)
    setProblem(undefined)
    try {
      const next = await work()
      setBase(next)
      setIsSaved(true)
      setClash(undefined)
      await queries.invalidateQueries(objectDetails(address.bucket, address.key))
    } catch (error) {
      setClash(error instanceof Clash ? error : undefined)
      if (!(error instanceof Clash)) setProblem(messageOf(error))
    }
    setIsSaving(false)
  }
  /** Shows another text instead of the own one. */
  const show = (file: EditedFile) => {
    setText(file.text)
    setRound((before) => before + 1)
    return file
  }
  const answers: ClashAnswers = {
    keepMine: () => void run(() => saveOver(address, base, text)),
    takeTheirs: () => void run(async () => show(await readEdited(address))),
    saveCopy: () =>
      void run(async () => {
        const name = await saveCopy(address, base, text)
        showSuccess(fileEditTexts.editor.copied(name))
        return clash?.isDeleted === true ? { ...base, text } : show(await readEdited(address))
      }),
    cancel: () => setClash(undefined),
  }
  return {
    ...{ base, round, isSaving, isSaved, problem, clash, answers, setText },
    isChanged: text !== base.text,
    save: () => {
      if (text !== base.text)
        void run(() => saveEdited(address, base, field.current?.value ?? text))
    },
  }
}

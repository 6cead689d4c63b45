import { CloseButton, Kbd, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { filesTexts } from '../../texts/files.ts'
import classes from './search.module.css'

/** Delay after the last keystroke. */
const debounceMs = 150

interface SearchFieldProps {
  readonly text: string
  readonly placeholder: string
  /** Called while the user types. */
  readonly onText: (text: string) => void
  /** Called on Enter. */
  readonly onEnter: (text: string) => void
  /** Called when the arrow keys leave the field, and on Escape in an empty field. */
  readonly onLeave: () => void
  readonly onFocus?: () => void
}

/** The one search field of the files. */
export function SearchField(props: SearchFieldProps) {
  const { text, placeholder, onText, onEnter, onLeave, onFocus } = props
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (known !== text) {
    // The address changed, by this field or for example with Back.
    setKnown(text)
    if (timer.current === undefined) setTyped(text)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const stop = () => {
    clearTimeout(timer.current)
    timer.current = undefined
  }
  const type = (next: string) => {
    setTyped(next)
    stop()
    timer.current = setTimeout(() => {
      timer.current = undefined
      onText(next)
    }, debounceMs)
  }
  const clear = () => {
    stop()
    setTyped('')
    onText('')
  }
  return (
    <TextInput
      className={classes.field ?? ''}
      aria-label={filesTexts.search.label}
      placeholder={placeholder}
      data-files-search
      spellCheck={false}
      autoComplete="off"
      maxLength={255}
      value={typed}
      {...(onFocus !== undefined && { onFocus })}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') {
          stop()
          onEnter(typed)
        } else if (event.key === 'Escape' && typed !== '') clear()
        else if (event.key === 'Escape' || event.key === 'ArrowDown') onLeave()
        else return
        event.preventDefault()
      }}
      // Sections take no press, which is for the field: on a phone they cover it.
      leftSectionPointerEvents="none"
      leftSection={<IconSearch size={16} />}
      enterKeyHint="search"
      rightSectionPointerEvents={typed === '' ? 'none' : 'all'}
      rightSectionWidth={typed === '' ? undefined : 'auto'}
      rightSection={<FieldEnd isEmpty={typed === ''} onClear={clear} />}
    />
  )
}

/** The key that leads here; once something is typed, the key that searches and a button. */
function FieldEnd({ isEmpty, onClear }: { isEmpty: boolean; onClear: () => void }) {
  return (
    <>
      <Kbd size="xs" className={classes.key ?? ''}>
        {isEmpty ? '/' : filesTexts.search.enter}
      </Kbd>
      {!isEmpty && (
        <CloseButton size="sm" aria-label={filesTexts.search.clearField} onClick={onClear} />
      )}
    </>
  )
}

import { Button } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { frameTexts } from '../../texts/frame.ts'
import { IconButton } from '../icon-button.tsx'
import { showFailure } from '../messages.ts'
import { copyText } from './copy-text.ts'

interface CopyButtonProps {
  readonly text: string
  /** What the button copies, for its label: "Copy endpoint". */
  readonly what: string
  /** Shown beside the icon; omit for the icon alone. */
  readonly children?: ReactNode
  /** The size of a button with text: `sm` beside an input. */
  readonly size?: 'xs' | 'sm'
  readonly onCopied?: (() => void) | undefined
}

const shownMs = 1_500

export function CopyButton({ text, what, children, size = 'xs', onCopied }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  const { start } = useTimeout(() => setIsCopied(false), shownMs)
  const copy = async () => {
    if (await copyText(text)) {
      setIsCopied(true)
      start()
      onCopied?.()
    } else showFailure(frameTexts.copy.notAllowed, frameTexts.copy.byHand)
  }
  const label = isCopied ? frameTexts.copy.copied(what) : frameTexts.copy.label(what)
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />
  if (children === undefined) {
    return (
      <IconButton label={label} color={isCopied ? 'teal' : 'gray'} onClick={() => void copy()}>
        {icon}
      </IconButton>
    )
  }
  return (
    <Button
      variant="default"
      size={size}
      leftSection={icon}
      aria-label={label}
      onClick={() => void copy()}
    >
      {children}
    </Button>
  )
}

import { Button, CloseButton, Group } from '@mantine/core'
import { IconClipboard } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { filesTexts } from '../../texts/files.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { clipboard, pasteInto } from './clipboard.ts'
import classes from './paste-button.module.css'

/** Shown after Cut or Copy. Pastes the entries into the open folder. */
export function PasteButton({ to }: { readonly to: FolderAddress }) {
  const clip = useSyncExternalStore(clipboard.subscribe, clipboard.snapshot)
  if (clip === undefined) return null
  const tip = clip.mode === 'move' ? filesTexts.paste.moveHere : filesTexts.paste.copyHere
  return (
    <Group gap={2} wrap="nowrap" className={classes.paste ?? ''}>
      <Button
        variant="light"
        leftSection={<IconClipboard size={18} />}
        data-tip={tip}
        aria-description={tip}
        onClick={() => pasteInto(to)}
      >
        {filesTexts.paste.items(clip.entries.length)}
      </Button>
      <CloseButton aria-label={filesTexts.paste.forget} onClick={() => clipboard.set(undefined)} />
    </Group>
  )
}

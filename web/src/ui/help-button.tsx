import { IconHelpCircle } from '@tabler/icons-react'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from './icon-button.tsx'

/** What only some people need to know, such as the name of an environment variable, behind a "?". */
export function HelpButton({ text }: { readonly text: string }) {
  return (
    <IconButton label={frameTexts.help} title={text} size="sm" ml={4} data-tip-pressed>
      <IconHelpCircle size={16} />
    </IconButton>
  )
}

import { Center, Loader } from '@mantine/core'
import { frameTexts } from '../texts/frame.ts'

export function Loading({ label = frameTexts.loading }: { readonly label?: string }) {
  return (
    <Center mih={240} role="status" aria-label={label}>
      <Loader />
    </Center>
  )
}

import { Center, Loader } from '@mantine/core'

export function PreviewLoading() {
  return (
    <Center role="status" aria-label="Loading the preview">
      <Loader />
    </Center>
  )
}

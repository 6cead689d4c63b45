import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'

const CreateBucketDialog = lazy(async () => {
  const { CreateBucketDialog } = await import('./create-bucket-dialog.tsx')
  return { default: CreateBucketDialog }
})

interface CreateBucketButtonProps extends Pick<ButtonProps, 'size' | 'variant' | 'leftSection'> {
  readonly children: string
}

export function CreateBucketButton(props: CreateBucketButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button {...props} onClick={open} />
      {isOpen && (
        <Suspense fallback={null}>
          <CreateBucketDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}

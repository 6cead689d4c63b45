# fog-aws, with which CarrierWave stores files: public ones, in parts, with tags, and opened by a policy.
require 'digest'
require 'fog/aws'
require 'net/http'
require 'securerandom'

def assert(holds, message = 'not as expected')
  raise message unless holds
end

def same(got, expected)
  assert Digest::SHA256.hexdigest(got) == Digest::SHA256.hexdigest(expected), 'other bytes'
end

def storage_of(endpoint)
  Fog::Storage.new(
    provider: 'AWS', endpoint: endpoint, path_style: true, region: 'us-east-1',
    aws_access_key_id: ENV.fetch('ACCESS_KEY'), aws_secret_access_key: ENV.fetch('SECRET_KEY')
  )
end

storage = storage_of(ENV.fetch('ENDPOINT'))
name = ENV.fetch('BUCKET')
small = SecureRandom.bytes(70_000)
large = SecureRandom.bytes(26 * 1024 * 1024 + 5)
status = ->(url) { Net::HTTP.get_response(URI(url)).code }

directory = storage.directories.create(key: name, public: true)
# The ACL is accepted without effect: fog sees that nothing is public.
metadata = { 'x-amz-meta-color' => 'blue' }
public = directory.files.create(key: 'uploads/é one.bin', body: small, public: true, metadata: metadata)
assert !public.public? && public.public_url.nil? && directory.public_url.nil?
assert status.call("#{ENV.fetch('ENDPOINT')}/#{name}/uploads/%C3%A9%20one.bin") == '403'
same Net::HTTP.get(URI(public.url(Time.now + 60))), small
found = directory.files.get('uploads/é one.bin')
same found.body, small
assert found.metadata['x-amz-meta-color'] == 'blue', found.metadata.inspect
storage.put_object_acl(name, 'uploads/é one.bin', 'public-read')
storage.put_bucket_acl(name, 'private')
File.binwrite('large.bin', large)
File.open('large.bin') do |file|
  directory.files.create(key: 'large.bin', body: file, public: true, multipart_chunk_size: 5 * 1024 * 1024)
end
same directory.files.get('large.bin').body, large
tagged = directory.files.create(key: 'tagged.bin', body: small, tags: 'color=blue&size=a%20b')
assert storage.get_object_tagging(name, 'tagged.bin').body['ObjectTagging'] == { 'color' => 'blue', 'size' => 'a b' }
storage.put_object_tagging(name, 'tagged.bin', { 'color' => 'red' })
copied = tagged.copy(name, 'copied.bin')
same copied.body, small
assert storage.get_object_tagging(name, 'copied.bin').body['ObjectTagging'] == { 'color' => 'red' }
statement = {
  'Effect' => 'Allow', 'Principal' => '*', 'Action' => 's3:GetObject', 'Resource' => "arn:aws:s3:::#{name}/copied.bin"
}
storage.put_bucket_policy(name, { 'Version' => '2012-10-17', 'Statement' => [statement] })
same Net::HTTP.get(URI("#{ENV.fetch('ENDPOINT')}/#{name}/copied.bin")), small
storage.delete_bucket_policy(name)
directory.versioning = false
assert !directory.versioning?
assert directory.files.map(&:key).sort == ['copied.bin', 'large.bin', 'tagged.bin', 'uploads/é one.bin']
assert directory.files.new(key: 'absent.bin').destroy
storage.delete_multiple_objects(name, directory.files.map(&:key))
assert directory.destroy
assert storage.directories.get(name).nil?

# With ACLS=bucket, the ACL of the bucket opens it; its files say so.
other = storage_of(ENV.fetch('OTHER_ENDPOINT')).directories.create(key: name, public: true)
opened = other.files.create(key: 'one.bin', body: small, public: true, encryption: 'AES256')
assert opened.public? && other.public_url
same Net::HTTP.get(URI(opened.public_url)), small
other.public = false
assert other.save && !opened.public? && status.call("#{ENV.fetch('OTHER_ENDPOINT')}/#{name}/one.bin") == '403'

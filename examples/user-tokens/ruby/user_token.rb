require 'jwt' # gem install jwt

PRIVATE_KEY = OpenSSL::PKey.read(File.read(ENV.fetch('SIGNING_KEY_FILE')))

def user_token(user_id)
  now = Time.now.to_i
  claims = { aud: ENV.fetch('PROJECT_ID'), sub: user_id, iat: now, exp: now + 3600 }
  JWT.encode(claims, PRIVATE_KEY, 'ES256', { kid: ENV.fetch('SIGNING_KEY_ID') })
end

puts user_token(ARGV.fetch(0))

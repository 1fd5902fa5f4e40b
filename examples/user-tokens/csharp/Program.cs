using System.Security.Cryptography;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

string Setting(string name) =>
    Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException($"{name} is not set");

var ecdsa = ECDsa.Create();
ecdsa.ImportFromPem(File.ReadAllText(Setting("SIGNING_KEY_FILE")));
var privateKey = new ECDsaSecurityKey(ecdsa) { KeyId = Setting("SIGNING_KEY_ID") };

string UserToken(string userId) => new JsonWebTokenHandler().CreateToken(new SecurityTokenDescriptor
{
    Audience = Setting("PROJECT_ID"),
    Claims = new Dictionary<string, object> { ["sub"] = userId },
    IssuedAt = DateTime.UtcNow,
    Expires = DateTime.UtcNow.AddHours(1),
    SigningCredentials = new SigningCredentials(privateKey, SecurityAlgorithms.EcdsaSha256),
});

Console.WriteLine(UserToken(args[0]));

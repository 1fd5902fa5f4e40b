<?php

require __DIR__ . '/vendor/autoload.php'; // composer require firebase/php-jwt

use Firebase\JWT\JWT;

function userToken(string $userId): string
{
    $now = time();
    $claims = ['aud' => getenv('PROJECT_ID'), 'sub' => $userId, 'iat' => $now, 'exp' => $now + 3600];
    $privateKey = file_get_contents(getenv('SIGNING_KEY_FILE'));

    return JWT::encode($claims, $privateKey, 'ES256', getenv('SIGNING_KEY_ID'));
}

echo userToken($argv[1]), PHP_EOL;

use super::*;

fn devices(folder: &tempfile::TempDir, expiry: Option<Duration>) -> Devices {
    Devices::load(Store::open(folder.path()).unwrap(), None, expiry)
}

async fn paired(devices: &Devices) -> String {
    let (code, _) = devices.create_code().await.unwrap();
    let code = devices.take_code(&code).unwrap();
    devices.pair(code, "http://box", "Browser").await.unwrap()
}

#[tokio::test]
async fn a_code_is_valid_for_a_day_and_too_many_replace_the_oldest() {
    let folder = tempfile::tempdir().unwrap();
    let devices = devices(&folder, None);
    let (first, expires) = devices.create_code().await.unwrap();
    assert!(expires > now_ms() + 23 * HOUR && expires <= now_ms() + 24 * HOUR);
    let (second, _) = devices.create_code().await.unwrap();
    for _ in 2..=PAIRING_CODES {
        devices.create_code().await.unwrap();
    }
    assert_eq!(devices.take_code(&first), None);
    assert_eq!(devices.0.store.pairing_codes().len(), PAIRING_CODES);
    // Its day is over.
    let hash = secret::hash(&second);
    devices
        .state()
        .codes
        .iter_mut()
        .filter(|code| code.hash == hash)
        .for_each(|code| code.expires = now_ms());
    assert_eq!(devices.take_code(&second), None);
}

#[tokio::test]
async fn expired_codes_are_removed_from_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let devices = devices(&folder, None);
    let old = PairingCode { hash: vec![1], expires: now_ms() - 1 };
    devices.0.store.write(vec![Write::AddPairingCode(old)]).result().await.unwrap();
    devices.create_code().await.unwrap();
    assert_eq!(devices.0.store.pairing_codes().len(), 1);
}

#[tokio::test]
async fn a_device_is_known_after_a_restart_by_its_whole_credential_only() {
    let folder = tempfile::tempdir().unwrap();
    let credential = paired(&devices(&folder, None)).await;
    let devices = devices(&folder, None);
    assert!(devices.check(&credential, "http://box").is_some());
    let (id, secret) = credential.split_once('.').unwrap();
    let other = paired(&devices).await;
    let (_, other_secret) = other.split_once('.').unwrap();
    for wrong in [
        String::new(),
        ".".to_owned(),
        id.to_owned(),
        format!("{id}."),
        format!(".{secret}"),
        format!("{id}.{other_secret}"),
        format!("{credential}x"),
        format!("{id}.{}", &secret[..secret.len() - 1]),
        format!("{id} .{secret}"),
    ] {
        assert!(devices.check(&wrong, "http://box").is_none(), "{wrong}");
    }
    for origin in ["", "https://box", "http://box:80", "http://box/"] {
        assert!(devices.check(&credential, origin).is_none(), "{origin}");
    }
}

#[tokio::test]
async fn an_unused_device_expires_and_a_connected_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    let devices = devices(&folder, Some(90 * day));
    let (used, unused) = (paired(&devices).await, paired(&devices).await);
    let age = |credential: &str, days: u32| {
        let (id, _) = credential.split_once('.').unwrap();
        let age = u64::try_from((days * day).as_millis()).unwrap();
        devices.state().devices.get_mut(id).unwrap().record.last_used = now_ms() - age;
    };
    age(&used, 89);
    let access = devices.check(&used, "http://box");
    age(&used, 91);
    age(&unused, 91);
    assert!(devices.check(&used, "http://box").is_some(), "it is connected");
    assert_eq!(devices.list("").devices.len(), 1);
    assert!(devices.check(&unused, "http://box").is_none());
    drop(access);
    age(&used, 91);
    assert!(devices.check(&used, "http://box").is_none());
    devices.0.store.flush().result().await.unwrap();
    assert_eq!(devices.0.store.devices(), []);
}

#[tokio::test]
async fn the_last_use_is_stored_now_and_then() {
    let folder = tempfile::tempdir().unwrap();
    let devices = devices(&folder, None);
    let credential = paired(&devices).await;
    let stored = async || {
        devices.0.store.flush().result().await.unwrap();
        devices.0.store.devices()[0].last_used
    };
    let before = stored().await;
    let (id, _) = credential.split_once('.').unwrap();
    devices.state().devices.get_mut(id).unwrap().record.last_used = 5;
    devices.0.store.write(vec![Write::DeviceUsed { device: id.to_owned(), at: 5 }]).result().await.unwrap();
    assert_eq!(stored().await, before, "an earlier time replaces a later one");
    devices.check(&credential, "http://box").unwrap();
    let after = devices.state().devices[id].record.last_used;
    assert!(after >= before && stored().await == after);
}

//! Chromium without a window, driven over its own protocol: JSON objects that end with a zero byte, through two pipes.

use crate::common::Folder;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use testing::Absent;

const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    last: u64,
    pub(crate) folder: Folder,
    /// What pages complained about.
    pub(crate) complaints: VecDeque<String>,
}

/// The protocol's name of a page.
#[derive(Clone)]
pub(crate) struct Tab(String);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    pub(crate) fn start(name: &str) -> Result<Browser, Absent> {
        testing::tool("chromium", "--version")?;
        let folder = Folder::new(name);
        let pipes = [folder.path("in"), folder.path("out")];
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        let script = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                      --disable-background-networking --no-first-run --remote-debugging-pipe --user-data-dir=\"$3\" \
                      about:blank 3<\"$1\" 4>\"$2\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh", &pipes[0], &pipes[1], &folder.path("profile")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each end waits for the other.
        let to = OpenOptions::new().write(true).open(&pipes[0]).unwrap();
        let mut output = BufReader::new(File::open(&pipes[1]).unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            loop {
                let mut bytes = Vec::new();
                match output.read_until(0, &mut bytes) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => bytes.pop(),
                };
                if sender.send(serde_json::from_slice(&bytes).unwrap()).is_err() {
                    return;
                }
            }
        });
        let (last, complaints) = (0, VecDeque::new());
        let mut browser = Browser {
            child,
            to,
            from,
            last,
            folder,
            complaints,
        };
        let downloads = json!({ "behavior": "allow", "downloadPath": browser.folder.path("") });
        browser.call(None, "Browser.setDownloadBehavior", downloads);
        Ok(browser)
    }

    pub(crate) fn call(&mut self, tab: Option<&Tab>, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(Tab(session)) = tab {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let message = self.from.recv_timeout(PATIENCE).unwrap();
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            if let Some("Runtime.exceptionThrown" | "Log.entryAdded") = message["method"].as_str() {
                self.complaints.push_back(message.to_string());
            }
        }
    }

    pub(crate) fn open(&mut self, address: &str) -> Tab {
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attach);
        let tab = Tab(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(Some(&tab), domain, json!({}));
        }
        self.size(&tab, 1280, 800);
        self.call(Some(&tab), "Page.navigate", json!({ "url": address }));
        tab
    }

    pub(crate) fn size(&mut self, tab: &Tab, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call(Some(tab), "Emulation.setDeviceMetricsOverride", metrics);
    }

    pub(crate) fn dark(&mut self, tab: &Tab, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call(Some(tab), "Emulation.setEmulatedMedia", media);
    }

    /// The value of a script.
    pub(crate) fn value(&mut self, tab: &Tab, script: &str) -> Value {
        let parameters = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call(Some(tab), "Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until a script says something that is neither false nor null nor nothing.
    pub(crate) fn wait(&mut self, tab: &Tab, script: &str) -> Value {
        let begun = Instant::now();
        // While a page is being loaded, there is little on it.
        let careful = format!("(() => {{ try {{ return {script}; }} catch (error) {{ return null; }} }})()");
        loop {
            let value = self.value(tab, &careful);
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!("") {
                return value;
            }
            if begun.elapsed() > PATIENCE {
                let page = self.value(tab, "document.body.innerText");
                panic!("still not: {script}\n{page}\n{:?}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Clicks in the middle of the element that a script finds.
    pub(crate) fn click(&mut self, tab: &Tab, element: &str) {
        let script = format!(
            "(() => {{ const element = {element}; if (!element || element.disabled) return null; \
             element.scrollIntoView({{ block: 'nearest' }}); const box = element.getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        );
        let place = self.wait(tab, &script);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call(Some(tab), "Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key; of a letter, what it types.
    pub(crate) fn key(&mut self, tab: &Tab, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            "End" => 35,
            "ArrowUp" => 38,
            "ArrowDown" => 40,
            "ArrowRight" => 39,
            _ => 0,
        };
        let mut event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if code == 0 {
            event["text"] = json!(key);
        } else if key == "Enter" {
            event["text"] = json!("\r");
        }
        self.call(Some(tab), "Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.call(Some(tab), "Input.dispatchKeyEvent", event);
    }

    pub(crate) fn keys(&mut self, tab: &Tab, text: &str) {
        for letter in text.chars() {
            self.key(tab, &letter.to_string());
        }
    }

    /// A picture of what is seen, into the folder that CUBIST_SCREENSHOTS names.
    pub(crate) fn picture(&mut self, tab: &Tab, name: &str) {
        let Some(folder) = std::env::var_os("CUBIST_SCREENSHOTS") else {
            return;
        };
        let shot = self.call(Some(tab), "Page.captureScreenshot", json!({ "format": "png" }));
        let mut decoder = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(File::create(std::path::Path::new(&folder).join(format!("{name}.png"))).unwrap())
            .spawn()
            .unwrap();
        decoder
            .stdin
            .take()
            .unwrap()
            .write_all(shot["data"].as_str().unwrap().as_bytes())
            .unwrap();
        assert!(decoder.wait().unwrap().success());
    }
}
